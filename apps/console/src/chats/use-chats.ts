import { errorFrom } from '@throughline/client/chat-error'
import { type ChatId, isChatId } from '@throughline/protocol/ids'
import { useCallback, useEffect, useState } from 'react'
import { accessHeaders } from '../settings/access.ts'

export interface ChatItem {
  readonly id: ChatId
  readonly title: string
  readonly updatedAt: string
}

export interface AgentItem {
  readonly name: string
  readonly displayName: string
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
    // The list is beside the chat, not in its way: when it cannot be had, the chat says why.
    const body = await call('GET', '/api/chats').catch(() => undefined)
    if (body !== undefined) setChats(body.chats.filter(isChatItem))
  }, [])
  useEffect(() => {
    refresh()
  }, [refresh])

  const rename = useCallback(
    async (id: ChatId, title: string) => {
      await call('PATCH', `/api/chats/${id}`, { title })
      await refresh()
    },
    [refresh],
  )
  const remove = useCallback(
    async (id: ChatId) => {
      await call('DELETE', `/api/chats/${id}`)
      await refresh()
    },
    [refresh],
  )
  return { chats, refresh, rename, remove }
}

export function useAgents(): readonly AgentItem[] {
  const [agents, setAgents] = useState<readonly AgentItem[]>([])
  useEffect(() => {
    call('GET', '/api/agents').then(
      body => setAgents(body.agents),
      // Names come with the messages too; without the list only the first screen's examples are missing.
      () => undefined,
    )
  }, [])
  return agents
}

async function call(method: string, path: string, body?: unknown) {
  const response = await fetch(path, {
    method,
    headers: { ...accessHeaders(), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw await errorFrom(response)
  return response.status === 204 ? undefined : response.json()
}

function isChatItem(item: { readonly id: string }): item is ChatItem {
  return isChatId(item.id)
}
