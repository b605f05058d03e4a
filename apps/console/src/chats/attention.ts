import type { ChatId, ListedChat } from '@throughline/protocol'
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { basePath } from '../server/base-path.ts'
import { useSettings, useWords } from '../settings/settings.tsx'
import type { Words } from '../words/first/en.ts'
import type { ChatsList } from './use-chats.ts'

interface Attention {
  readonly list: ChatsList
  readonly current: ChatId | undefined
  readonly unread: ReadonlySet<ChatId>
  readonly onShow: (chatId: ChatId) => void
}

/**
 * Tells a person who looks at something else about their chats: in the title of the tab, and by notifications if they
 * have switched them on.
 */
export function useAttention({ list, current, unread, onShow }: Attention): void {
  const words = useWords()
  const { notifies } = useSettings()
  const { chats, isLoaded } = list
  useEffect(() => {
    document.title = titleOf({ chats, current, unread }, words)
  }, [chats, current, unread, words])

  useEffect(() => {
    const leaving = new AbortController()
    void holdWhileSeen(leaving.signal)
    return () => leaving.abort()
  }, [])
  const before = useRef<ReadonlyMap<ChatId, ListedChat>>(undefined)
  useEffect(() => {
    if (!isLoaded) return
    const known = before.current
    before.current = new Map(chats.map(chat => [chat.id, chat]))
    // What has happened before the page was opened is in the list.
    if (known === undefined || !notifies || document.visibilityState === 'visible') return
    const news = chats.flatMap(chat => {
      const text = newsOf(chat, known.get(chat.id), words)
      return text === undefined ? [] : { chat, text }
    })
    if (news.length === 0) return
    void isSeenInAnyTab().then(isSeen => {
      if (isSeen) return
      for (const { chat, text } of news) notify(chat, { text, onClick: () => onShow(chat.id), words })
    })
  }, [chats, isLoaded, notifies, words, onShow])
}

/** Returns the title of the tab: how many chats want attention, what the shown chat does, and its name. */
function titleOf(
  { chats, current, unread }: Pick<ChatsList, 'chats'> & Pick<Attention, 'current' | 'unread'>,
  words: Words,
) {
  const shown = chats.find(({ id }) => id === current)
  const count = chats.filter(
    ({ id, activity }) => unread.has(id) || (activity === 'waiting' && id !== current),
  ).length
  const state = shown === undefined || shown.activity === 'idle' ? [] : [words[shown.activity]]
  const name = shown === undefined ? [] : [shown.title || words.untitled]
  return `${count === 0 ? '' : `(${count}) `}${[...state, ...name, 'Throughline'].join(' · ')}`
}

/** Returns what is new about a chat that a person may wait for. */
function newsOf(chat: ListedChat, before: ListedChat | undefined, words: Words): string | undefined {
  if (chat.activity === 'waiting' && before?.activity !== 'waiting') return words.needsYou
  if (chat.answeredAt !== undefined && chat.answeredAt !== before?.answeredAt) return words.answerEnded
  return undefined
}

function notify(
  { id, title }: ListedChat,
  { text, onClick, words }: { readonly text: string; readonly onClick: () => void; readonly words: Words },
): void {
  const notification = notificationOf(title || words.untitled, { body: text, tag: `throughline ${id}` })
  notification?.addEventListener('click', () => {
    focus()
    onClick()
    notification.close()
  })
}

/** Several tabs may notify about the same chat. Of the same tag, the browser shows one. */
function notificationOf(title: string, options: NotificationOptions): Notification | undefined {
  try {
    return new Notification(title, options)
  } catch {
    // Some browsers have notifications only for service workers.
    return undefined
  }
}

const lockName = `throughline.seen ${basePath}`

/** Holds a lock while a person sees this tab, so that the other tabs know. Ends when the signal aborts. */
async function holdWhileSeen(signal: AbortSignal): Promise<void> {
  // Browsers have locks only for pages that came over HTTPS or from this machine.
  if (navigator.locks === undefined) return
  while (!signal.aborted) {
    const changed = untilChanged(signal)
    // The lock is held until the promise settles. When the tab is closed, the browser lets go of it.
    if (document.visibilityState === 'visible')
      await navigator.locks.request(lockName, { mode: 'shared' }, () => changed).catch(() => changed)
    else await changed
  }
}

/** Returns whether a person sees this tab or another one of this page. */
async function isSeenInAnyTab(): Promise<boolean> {
  if (document.visibilityState === 'visible') return true
  const locks = await navigator.locks?.query().catch(() => undefined)
  return locks?.held?.some(lock => lock.name === lockName) ?? false
}

/** Waits until the tab is hidden or shown, or the signal aborts. */
function untilChanged(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    document.addEventListener('visibilitychange', () => resolve(), { once: true, signal })
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

const seenKey = 'throughline.seen'

/** Returns the chats with answers that ended since the person last looked, in this browser. All its tabs agree. */
export function useUnread({ chats, isLoaded }: ChatsList, current: ChatId | undefined): ReadonlySet<ChatId> {
  const [seen, setSeen] = useState(loadSeen)
  const isVisible = useIsVisible()
  useEffect(() => {
    const onStorage = (event: StorageEvent) => event.key === seenKey && setSeen(loadSeen())
    addEventListener('storage', onStorage)
    return () => removeEventListener('storage', onStorage)
  }, [])
  useEffect(() => {
    if (!isLoaded) return
    // Another tab may have written it since.
    const known = loadSeen()
    const next = seenAfter(known, chats, isVisible ? chats.find(({ id }) => id === current) : undefined)
    if (next === known) return
    localStorage.setItem(seenKey, JSON.stringify(next))
    setSeen(next)
  }, [chats, isLoaded, isVisible, current])
  return useMemo(() => {
    const unread = chats.filter(
      chat => seen !== undefined && isUnread(chat, seen) && !(isVisible && chat.id === current),
    )
    return new Set(unread.map(({ id }) => id))
  }, [chats, seen, isVisible, current])
}

function loadSeen(): Seen | undefined {
  try {
    const { since, chats } = JSON.parse(localStorage.getItem(seenKey) ?? '')
    return typeof since === 'string' && typeof chats === 'object' && chats !== null
      ? { since, chats }
      : undefined
  } catch {
    return undefined
  }
}

/** Up to which time the person has seen the answers, in this browser. All times are the server's. */
interface Seen {
  /** Answers from before this time count as seen. It is set when the browser shows the list for the first time. */
  readonly since: string
  /** The last answer that the person has seen, by chat. */
  readonly chats: Readonly<Record<string, string>>
}

/** Returns whether an answer of the chat has ended since the person looked at it. */
function isUnread({ id, answeredAt = '' }: ListedChat, seen: Seen): boolean {
  return answeredAt > (seen.chats[id] ?? seen.since)
}

/**
 * Returns what is seen now that the person looks at `looked`. Forgets chats that are not in the list. Returns the same
 * object when nothing changes.
 */
function seenAfter(
  seen: Seen | undefined,
  chats: readonly ListedChat[],
  looked: ListedChat | undefined,
): Seen {
  if (seen === undefined)
    return {
      since: chats.reduce((last, { answeredAt = '' }) => (answeredAt > last ? answeredAt : last), ''),
      chats: {},
    }
  if (looked?.answeredAt === undefined || !isUnread(looked, seen)) return seen
  const listed = new Set<string>(chats.map(({ id }) => id))
  const kept = Object.entries(seen.chats).filter(([id]) => listed.has(id))
  return { ...seen, chats: { ...Object.fromEntries(kept), [looked.id]: looked.answeredAt } }
}

/** Returns whether a person can see the page: whether its tab is in front. */
function useIsVisible(): boolean {
  return useSyncExternalStore(subscribe, isVisible)
}

function isVisible(): boolean {
  return document.visibilityState === 'visible'
}

function subscribe(onChange: () => void): () => void {
  document.addEventListener('visibilitychange', onChange)
  return () => document.removeEventListener('visibilitychange', onChange)
}
