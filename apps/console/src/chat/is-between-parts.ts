import { isToolPart, type Message } from '@throughline/protocol'

/** Returns whether the agent works although nothing on the screen moves, as after the end of a tool call. */
export function isBetweenParts({ metadata, parts }: Message): boolean {
  if (metadata?.status !== 'streaming') return false
  return !parts.some(part => {
    if (part.type === 'text' || part.type === 'reasoning') return part.state === 'streaming'
    return isToolPart(part) && (!part.state.startsWith('output') || part.preliminary === true)
  })
}
