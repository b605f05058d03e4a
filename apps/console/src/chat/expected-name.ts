import { senderNameOf } from '@throughline/client/sender-name'
import type { Message } from '@throughline/protocol/message'
import type { AgentItem } from '../chats/use-chats.ts'

/**
 * Returns the name of the agent that is going to answer: the server's first agent. While the list of agents is not
 * loaded, returns the agent of the last answer. Returns `undefined` when neither is known: no name is better than a
 * wrong one.
 */
export function expectedName(messages: readonly Message[], agents: readonly AgentItem[]): string | undefined {
  const [first] = agents
  if (first !== undefined)
    return senderNameOf({}, { agents, selectedAgent: first.name, fallback: first.name })
  const last = messages.findLast(({ metadata }) => metadata?.agent?.kind === 'master')
  return last?.metadata?.senderName
}
