import type { ChatId, ListedChat } from '@throughline/protocol'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { callServer } from '../call-server.ts'
import { placeQuery } from '../place-in-address.ts'
import { foldChats } from './fold-chats.ts'
import { followChats } from './follow-chats.ts'

export interface AgentItem {
  readonly name: string
  readonly displayName: string
  readonly description?: string
  readonly examples?: readonly string[]
  /** The name of its model, such as `openai:gpt-5`. Missing when it is not known. */
  readonly model?: string | undefined
  /** The models that the person may choose, its own first. Missing when there is no choice. */
  readonly models?: readonly string[]
}

export interface ChatsList {
  readonly chats: readonly ListedChat[]
  /** Whether the list was received. Before that it is empty. */
  readonly isLoaded: boolean
  rename(id: ChatId, title: string): Promise<void>
  pin(id: ChatId, isPinned: boolean): Promise<void>
}

/** The person's chats, newest first. The server tells every change. */
export function useChats(): ChatsList {
  const [list, setList] = useState(nothing)
  useEffect(() => {
    const leaving = new AbortController()
    followChats(
      event => setList(({ chats }) => ({ chats: foldChats(chats, event), isLoaded: true })),
      leaving.signal,
    )
    return () => leaving.abort()
  }, [])
  return useMemo(() => ({ ...list, rename, pin }), [list])
}

const nothing: Pick<ChatsList, 'chats' | 'isLoaded'> = { chats: [], isLoaded: false }

async function rename(id: ChatId, title: string): Promise<void> {
  await callServer('PATCH', `/api/chats/${id}`, { title })
}

async function pin(id: ChatId, isPinned: boolean): Promise<void> {
  await callServer('PATCH', `/api/chats/${id}`, { pinned: isPinned })
}

interface Agents {
  /** The agents that the person can talk to. The first one answers when nobody chooses. */
  readonly agents: readonly AgentItem[]
  /** Loads them again, after a change. */
  reload(): void
}

/** After so long, agents that could not be loaded are loaded again, in milliseconds. */
const retryMs = 5_000

export function useAgents(): Agents {
  const [agents, setAgents] = useState<readonly AgentItem[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const reload = useCallback(() => {
    clearTimeout(timer.current)
    callServer('GET', `/api/agents${placeQuery()}`).then(
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
function agentItems(
  masters: readonly AgentItem[],
  subAgents: readonly SentDefinition[],
): readonly AgentItem[] {
  const isHere = ({ workspaceId, pageIds = [] }: SentDefinition) =>
    placeQuery() !== '' || (workspaceId === undefined && pageIds.length === 0)
  const own = subAgents.filter(agent => agent.answersPeople && isHere(agent))
  return [...masters, ...own.map(({ model, ...item }) => ({ ...item, model: model && nameOf(model) }))]
}

interface SentDefinition extends Omit<AgentItem, 'model'> {
  readonly answersPeople?: boolean
  readonly workspaceId?: string
  readonly pageIds?: readonly string[]
  readonly model?: { readonly provider: string; readonly modelId: string }
}

function nameOf({ provider, modelId }: NonNullable<SentDefinition['model']>): string {
  return `${provider}:${modelId}`
}
