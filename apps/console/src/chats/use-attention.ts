import type { ChatId, ListedChat } from '@throughline/protocol'
import { useEffect, useRef } from 'react'
import { useSettings, useWords } from '../settings/settings.tsx'
import type { Words } from '../settings/words.ts'
import { holdWhileSeen, isSeenInAnyTab } from './seen-tabs.ts'
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
