import type { Message } from '@throughline/protocol'
import type { AgentItem } from '../chats/use-chats.ts'

/**
 * Returns the name of the agent that is going to answer. While the list of agents is not loaded, returns the name of
 * the agent that answered last. Returns `undefined` when neither is known.
 */
export function expectedName(messages: readonly Message[], agent: AgentItem | undefined): string | undefined {
  if (agent !== undefined) return agent.displayName || agent.name
  const last = messages.findLast(({ metadata }) => metadata?.agent?.kind === 'master')
  return last?.metadata?.senderName
}
