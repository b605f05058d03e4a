import type { ChatId, ListedChat } from '@throughline/protocol'
import { useEffect, useMemo, useState } from 'react'
import { callServer } from '../call-server.ts'
import { foldChats } from './fold-chats.ts'
import { followChats } from './follow-chats.ts'

export interface AgentItem {
  readonly name: string
  readonly displayName: string
  readonly description?: string
  readonly examples?: readonly string[]
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

export function useAgents(): readonly AgentItem[] {
  const [agents, setAgents] = useState<readonly AgentItem[]>([])
  useEffect(() => {
    callServer('GET', '/api/agents').then(
      body => setAgents(body.agents),
      // Messages carry the names of their agents. Without this list, only the first screen has less to offer.
      () => undefined,
    )
  }, [])
  return agents
}
