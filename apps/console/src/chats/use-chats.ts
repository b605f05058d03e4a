import { receiveChats } from '@throughline/client'
import { type ChatId, type ChatListEvent, isChatListEvent, type ListedChat } from '@throughline/protocol'
import { useEffect, useMemo, useState } from 'react'
import { accessHeaders } from '../server/access.ts'
import { basePath } from '../server/base-path.ts'
import { tellServer } from '../server/call-server.ts'
import { serverFetch } from '../server/server-fetch.ts'

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
  await tellServer('PATCH', `/api/chats/${id}`, { title })
}

async function pin(id: ChatId, isPinned: boolean): Promise<void> {
  await tellServer('PATCH', `/api/chats/${id}`, { pinned: isPinned })
}

type OnEvent = (event: ChatListEvent) => void

/** The pause after a refusal, in milliseconds. The person may have signed in by then. */
const retryMs = 3_000

/**
 * Follows the list of chats until the signal aborts. All tabs of a browser share one connection: a browser opens only six
 * to a server at a time, and each tab needs some for its chat. The tab that has the lock has the connection, and tells
 * the others. When it is closed, the next one gets the lock.
 */
function followChats(onEvent: OnEvent, signal: AbortSignal): void {
  // Browsers have locks only for pages that came over HTTPS or from this machine.
  if (navigator.locks === undefined) void followWhileVisible(onEvent, signal)
  else void followTogether(onEvent, signal)
}

async function followTogether(onEvent: OnEvent, signal: AbortSignal): Promise<void> {
  const name = `throughline.chats ${basePath}`
  const channel = new BroadcastChannel(name)
  signal.addEventListener('abort', () => channel.close())
  let list: readonly ListedChat[] | undefined
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    if (isChatListEvent(data)) onEvent(data)
    // A new tab asks. Only the tab with the connection has the list.
    else if (list !== undefined) channel.postMessage({ type: 'list', chats: list })
  })
  channel.postMessage('ask')
  const lead = () =>
    receiveUntil(signal, event => {
      list = foldChats(list ?? [], event)
      channel.postMessage(event)
      onEvent(event)
    })
  await navigator.locks.request(name, { signal }, lead).catch(() => undefined)
}

/** For browsers without locks: every tab has its own connection, but only while a person sees it. */
async function followWhileVisible(onEvent: OnEvent, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const changed = new AbortController()
    document.addEventListener('visibilitychange', () => changed.abort(), { once: true, signal })
    const both = AbortSignal.any([signal, changed.signal])
    if (document.visibilityState === 'visible') await receiveUntil(both, onEvent)
    else await untilAborted(both)
  }
}

async function receiveUntil(signal: AbortSignal, onEvent: OnEvent): Promise<void> {
  while (!signal.aborted) {
    try {
      const options = { url: basePath, headers: accessHeaders, fetch: serverFetch, signal }
      for await (const event of receiveChats(options)) onEvent(event)
    } catch {
      // The chat beside the list says what is wrong. `serverFetch` asks for a token if one is needed.
    }
    await untilAborted(AbortSignal.any([signal, AbortSignal.timeout(retryMs)]))
  }
}

async function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise(resolve => signal.addEventListener('abort', resolve, { once: true }))
}

/** Returns the list of chats after an event, newest first. */
function foldChats(chats: readonly ListedChat[], event: ChatListEvent): readonly ListedChat[] {
  switch (event.type) {
    case 'list':
      return newestFirst(event.chats)
    case 'chat':
      return newestFirst([event.chat, ...chats.filter(({ id }) => id !== event.chat.id)])
    case 'gone':
      return chats.filter(({ id }) => id !== event.id)
  }
}

function newestFirst(chats: readonly ListedChat[]): readonly ListedChat[] {
  return chats.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0))
}
