import type { Message } from '@throughline/protocol'
import { useState } from 'react'
import type { AgentItem } from '../chats/use-chats.ts'

export interface ModelChoice {
  /** The model that answers next, if there is a choice. */
  readonly model: string | undefined
  /** The name to send with a message; `undefined` when the agent uses its own model. */
  readonly sent: string | undefined
  choose(name: string): void
}

/**
 * Returns the model of a chat: the one that the person has chosen here, otherwise the one that they chose for their last
 * message. So a chat keeps its model after a reload, and on every screen. A new chat begins with the model that was chosen
 * last for this agent, in this browser.
 */
export function useModelChoice(messages: readonly Message[], agent: AgentItem | undefined): ModelChoice {
  const [chosen, setChosen] = useState<string>()
  const key = `throughline.model.${agent?.name}`
  const last = messages.findLast(({ role }) => role === 'user')
  const wanted = chosen ?? (last === undefined ? localStorage.getItem(key) : last.metadata?.chosenModel)
  // While the agents are not loaded, the person may already write.
  if (agent === undefined)
    return { model: undefined, sent: last && wanted ? wanted : undefined, choose: setChosen }
  const { models = [] } = agent
  const sent = models.find(name => name === wanted)
  return {
    model: sent ?? models[0],
    sent,
    choose(name) {
      setChosen(name)
      // The agent's own model may be another one tomorrow. A new chat then begins with that one.
      if (name === models[0]) localStorage.removeItem(key)
      else localStorage.setItem(key, name)
    },
  }
}
