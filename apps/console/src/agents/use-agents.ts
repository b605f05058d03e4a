import { isAgentsBody, type MasterBody, type SubAgentBody } from '@throughline/protocol/internal'
import { useCallback, useEffect, useRef, useState } from 'react'
import { callServer } from '../server/call-server.ts'
import { placeQuery } from '../server/place-in-address.ts'

/** An agent that the person can talk to: one in code, or one that the person has made. */
export type AgentItem = Pick<
  MasterBody,
  'name' | 'displayName' | 'description' | 'examples' | 'model' | 'models'
>

interface Agents {
  /** The agents that the person can talk to. The first one answers when nobody chooses. */
  readonly agents: readonly AgentItem[]
  /** Loads them again, after a change. */
  reload(): void
}

/** After this time, agents that could not be loaded are loaded again, in milliseconds. */
const retryMs = 5_000

export function useAgents(): Agents {
  const [agents, setAgents] = useState<readonly AgentItem[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const reload = useCallback(() => {
    clearTimeout(timer.current)
    callServer(isAgentsBody, 'GET', `/api/agents${placeQuery()}`).then(
      body => setAgents(agentItems(body.agents, body.subAgents)),
      // Messages carry the names of their agents. Without this list, only the first screen has less to offer.
      () => {
        timer.current = setTimeout(reload, retryMs)
      },
    )
  }, [])
  useEffect(() => {
    reload()
    return () => clearTimeout(timer.current)
  }, [reload])
  return { agents, reload }
}

/**
 * Adds the agents that the person has made. With a place in the address, the server has chosen those that are there.
 * Without one, those of workspaces and pages are left out.
 */
function agentItems(masters: readonly AgentItem[], subAgents: readonly SubAgentBody[]): readonly AgentItem[] {
  const isHere = ({ workspaceId, pageIds = [] }: SubAgentBody) =>
    placeQuery() !== '' || (workspaceId === undefined && pageIds.length === 0)
  const own = subAgents.filter(agent => agent.answersPeople && isHere(agent))
  return [...masters, ...own.map(({ model, ...item }) => ({ ...item, model: nameOf(model) }))]
}

function nameOf(model: SubAgentBody['model']): string | undefined {
  return typeof model === 'object' ? `${model.provider}:${model.modelId}` : model
}
