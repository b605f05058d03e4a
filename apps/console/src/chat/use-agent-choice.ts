import { isAgentMessage } from '@throughline/client'
import type { Message } from '@throughline/protocol'
import { useState } from 'react'
import type { AgentItem } from '../chats/use-chats.ts'

export interface AgentChoice {
  /** The agent that answers next; `undefined` while the agents are not loaded. */
  readonly agent: AgentItem | undefined
  /** The name to send with a message; `undefined` when the server decides. */
  readonly sent: string | undefined
  choose(name: string): void
}

/**
 * Returns the agent of a chat: the one that the person has chosen here, otherwise the one that answered last. So a chat
 * keeps its agent after a reload, and on every screen. Before the first answer it is the server's first agent.
 */
export function useAgentChoice(messages: readonly Message[], agents: readonly AgentItem[]): AgentChoice {
  const [chosen, choose] = useState<string>()
  const last = lastName(messages, agents)
  const agent = agents.find(({ name }) => name === (chosen ?? last)) ?? agents[0]
  // With one agent there is nothing to say.
  return { agent, sent: agents.length === 1 ? undefined : (agent?.name ?? last), choose }
}

/**
 * Returns the name of the agent that answered last. Skips people who answered, and agents that the server has no more.
 * While the agents are not loaded, every agent counts: the person may already write.
 */
function lastName(messages: readonly Message[], agents: readonly AgentItem[]): string | undefined {
  const isKnown = (name: string) => agents.length === 0 || agents.some(agent => agent.name === name)
  const last = messages.findLast(message => {
    const { kind, name = '' } = message.metadata?.agent ?? {}
    return kind === 'master' && isAgentMessage(message) && isKnown(name)
  })
  return last?.metadata?.agent?.name
}
