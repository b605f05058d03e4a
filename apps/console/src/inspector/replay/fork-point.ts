import type { Message } from '@throughline/protocol'

/** Returns the last answer that had ended; `undefined` when there was none. A conversation can go on from there. */
export function forkPoint(messages: readonly Message[]): Message | undefined {
  return messages.findLast(({ role, metadata }) => {
    const hasEnded = metadata?.status !== undefined && metadata.status !== 'streaming'
    return role === 'assistant' && metadata?.parent === undefined && hasEnded
  })
}
