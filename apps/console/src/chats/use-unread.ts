import type { ChatId } from '@throughline/protocol'
import { useEffect, useMemo, useState } from 'react'
import { isUnread, type Seen, seenAfter } from './seen.ts'
import type { ChatsList } from './use-chats.ts'
import { useIsVisible } from './use-is-visible.ts'

const key = 'throughline.seen'

/** Returns the chats with answers that ended since the person last looked, in this browser. All its tabs agree. */
export function useUnread({ chats, isLoaded }: ChatsList, current: ChatId | undefined): ReadonlySet<ChatId> {
  const [seen, setSeen] = useState(load)
  const isVisible = useIsVisible()
  useEffect(() => {
    const onStorage = (event: StorageEvent) => event.key === key && setSeen(load())
    addEventListener('storage', onStorage)
    return () => removeEventListener('storage', onStorage)
  }, [])
  useEffect(() => {
    if (!isLoaded) return
    // Another tab may have written it since.
    const known = load()
    const next = seenAfter(known, chats, isVisible ? chats.find(({ id }) => id === current) : undefined)
    if (next === known) return
    localStorage.setItem(key, JSON.stringify(next))
    setSeen(next)
  }, [chats, isLoaded, isVisible, current])
  return useMemo(() => {
    const unread = chats.filter(
      chat => seen !== undefined && isUnread(chat, seen) && !(isVisible && chat.id === current),
    )
    return new Set(unread.map(({ id }) => id))
  }, [chats, seen, isVisible, current])
}

function load(): Seen | undefined {
  try {
    const { since, chats } = JSON.parse(localStorage.getItem(key) ?? '')
    return typeof since === 'string' && typeof chats === 'object' && chats !== null
      ? { since, chats }
      : undefined
  } catch {
    return undefined
  }
}
