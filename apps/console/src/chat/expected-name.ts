import { senderNameOf } from '@throughline/client/sender-name'
import type { Message } from '@throughline/protocol/message'
import type { AgentItem } from '../chats/use-chats.ts'

/**
 * The name of who is going to answer: the server's first agent, or, before the list of agents is here, who answered
 * last. Nothing when neither is known: no name is better than one that is corrected a moment later.
 */
export function expectedName(messages: readonly Message[], agents: readonly AgentItem[]): string | undefined {
  const [first] = agents
  if (first !== undefined)
    return senderNameOf({}, { agents, selectedAgent: first.name, fallback: first.name })
  const last = messages.findLast(({ metadata }) => metadata?.agent?.kind === 'master')
  return last?.metadata?.senderName
}
