import { isToolPart, type Message } from '@throughline/protocol/message'

/** Nothing on screen moves, and yet the agent is at work: between a tool's end and what comes next. */
export function isBetweenParts({ metadata, parts }: Message): boolean {
  if (metadata?.status !== 'streaming') return false
  return !parts.some(part => {
    if (part.type === 'text' || part.type === 'reasoning') return part.state === 'streaming'
    return isToolPart(part) && (!part.state.startsWith('output') || part.preliminary === true)
  })
}
