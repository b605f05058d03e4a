import type { Message } from '@throughline/protocol'
import type { Violation } from '@throughline/protocol/history'

/**
 * D4: a sub-agent that was at work when its process died goes on. All agents of the torture can, so where a caller has
 * finished, its sub-agents have, too.
 */
export function checkDelegates(chatId: string, messages: readonly Message[]): readonly Violation[] {
  const statuses = new Map(messages.map(({ id, metadata }) => [id, metadata?.status]))
  return messages.flatMap(({ id, metadata }): readonly Violation[] => {
    const { status, statusText, parent } = metadata ?? {}
    if (status === 'finished' || parent === undefined) return []
    if (statuses.get(parent.messageId) !== 'finished') return []
    const detail = `Sub-agent message ${id} is ${status} (${statusText}), and its caller has finished.`
    return [{ kind: 'lost', invariant: 'D4', chatId, detail }]
  })
}
