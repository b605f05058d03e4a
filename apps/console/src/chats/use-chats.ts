import { type ChatId, isChatId } from '@throughline/protocol'
import { useCallback, useEffect, useState } from 'react'
import { callServer } from '../call-server.ts'

export interface ChatItem {
  readonly id: ChatId
  readonly title: string
  readonly updatedAt: string
  /** The channel that the chat is held in. */
  readonly channel?: string
}

export interface AgentItem {
  readonly name: string
  readonly displayName: string
  readonly description?: string
  readonly examples?: readonly string[]
}

export interface ChatsList {
  readonly chats: readonly ChatItem[]
  refresh(): Promise<void>
  rename(id: ChatId, title: string): Promise<void>
  remove(id: ChatId): Promise<void>
}

/** The person's chats, newest first. */
export function useChats(): ChatsList {
  const [chats, setChats] = useState<readonly ChatItem[]>([])
  const refresh = useCallback(async () => {
    // When the list cannot be loaded, it stays as it is. The chat beside it shows what is wrong.
    const body = await callServer('GET', '/api/chats').catch(() => undefined)
    if (body !== undefined) setChats(known => withoutChange(known, body.chats.filter(isChatItem)))
  }, [])
  useEffect(() => {
    refresh()
    // New chats can also begin elsewhere: in channels, in other tabs.
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') refresh()
    }, refreshMs)
    return () => clearInterval(timer)
  }, [refresh])

  const rename = useCallback(
    async (id: ChatId, title: string) => {
      await callServer('PATCH', `/api/chats/${id}`, { title })
      await refresh()
    },
    [refresh],
  )
  const remove = useCallback(
    async (id: ChatId) => {
      await callServer('DELETE', `/api/chats/${id}`)
      await refresh()
    },
    [refresh],
  )
  return { chats, refresh, rename, remove }
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

/** Returns the old list when the new one has the same contents, so that nothing is drawn again. */
function withoutChange(known: readonly ChatItem[], loaded: readonly ChatItem[]): readonly ChatItem[] {
  return JSON.stringify(known) === JSON.stringify(loaded) ? known : loaded
}

const refreshMs = 4_000

function isChatItem(item: { readonly id: string }): item is ChatItem {
  return isChatId(item.id)
}
