import type { ChatId, ListedChat } from '@throughline/protocol'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { createPortal, flushSync } from 'react-dom'
import { accessHeaders } from '../server/access.ts'
import { addressOf } from '../server/base-path.ts'
import { serverFetch } from '../server/server-fetch.ts'
import { useWords } from '../settings/settings.tsx'

/** How long a removal can be undone, in milliseconds. */
const undoMs = 6_000

interface Removal {
  /** The chat that can still be brought back. */
  readonly pending: ListedChat | undefined
  /** The chats that are not shown any more, although the list may still have them. */
  readonly hidden: ReadonlySet<ChatId>
  /** Hides a chat, and removes it some seconds later. One that waits already is removed at once. */
  remove(chat: ListedChat): void
  undo(): void
  /** While it is held, the time does not run. */
  hold(isHeld: boolean): void
}

/**
 * Removes chats in a way that can be undone for some seconds. The server is asked when the time is over, or when the
 * person leaves the page. If the server does not remove a chat, it is shown again.
 */
export function useRemoval(chats: readonly ListedChat[], onFailure: () => void): Removal {
  const { hidden, hide, show } = useHidden(chats)
  const [pending, setPending] = useState<ListedChat>()
  const [isHeld, setIsHeld] = useState(false)
  // The same chat, for `pagehide`, which may come before the next rendering. And what the request needs: when the person
  // signs out, the token is gone before the page is.
  const waiting = useRef<{ readonly chat: ListedChat; readonly headers: Record<string, string> }>(undefined)

  const flush = useCallback(() => {
    const removal = waiting.current
    waiting.current = undefined
    setPending(undefined)
    if (removal === undefined) return
    sendRemoval(removal.chat, removal.headers).catch(() => {
      show(removal.chat.id)
      onFailure()
    })
  }, [onFailure, show])
  useEffect(() => {
    addEventListener('pagehide', flush)
    return () => removeEventListener('pagehide', flush)
  }, [flush])
  const latestFlush = useRef(flush)
  latestFlush.current = flush
  useEffect(() => () => latestFlush.current(), [])
  useEffect(() => {
    if (pending === undefined || isHeld) return
    const timer = setTimeout(flush, undoMs)
    return () => clearTimeout(timer)
  }, [pending, isHeld, flush])

  const remove = (chat: ListedChat) => {
    flush()
    waiting.current = { chat, headers: accessHeaders() }
    hide(chat.id)
    setIsHeld(false)
    setPending(chat)
  }
  const undo = () => {
    if (waiting.current !== undefined) show(waiting.current.chat.id)
    waiting.current = undefined
    setPending(undefined)
  }
  return { pending, hidden, remove, undo, hold: setIsHeld }
}

/** Keeps which chats are hidden. Forgets one when it has left the list: a new chat may have the same id later. */
function useHidden(chats: readonly ListedChat[]) {
  const [hidden, setHidden] = useState<ReadonlySet<ChatId>>(new Set())
  useEffect(() => {
    const listed = new Set(chats.map(({ id }) => id))
    setHidden(known => {
      const left = [...known].filter(id => listed.has(id))
      return left.length === known.size ? known : new Set(left)
    })
  }, [chats])
  const hide = useCallback((id: ChatId) => setHidden(known => new Set([...known, id])), [])
  const show = useCallback(
    (id: ChatId) => setHidden(known => new Set([...known].filter(each => each !== id))),
    [],
  )
  return { hidden, hide, show }
}

/** `keepalive`: the request is sent although the page is being left. */
async function sendRemoval({ id }: ListedChat, headers: Record<string, string>): Promise<void> {
  const { ok, status } = await serverFetch(addressOf(`/api/chats/${id}`), {
    method: 'DELETE',
    headers,
    keepalive: true,
  })
  // Somebody else may have removed it before.
  if (!ok && status !== 404) throw new Error(`The server responded with status ${status}.`)
}

interface Props {
  readonly removal: Removal
  /** Whether something has just failed. */
  readonly hasFailed: boolean
  /** Called with the chat that was brought back. */
  readonly onUndo: (chatId: ChatId) => void
}

/** Says that a chat is removed and offers to undo it, or says that something did not work. */
export function RemovalToast({ removal, hasFailed, onUndo }: Props) {
  const words = useWords()
  const { pending, undo, hold } = removal
  if (pending === undefined && !hasFailed) return undefined
  const bringBack = (chatId: ChatId) => {
    // Draws at once: the button that has the focus goes, and the row of the chat gets it.
    flushSync(() => {
      undo()
      onUndo(chatId)
    })
    document.querySelector<HTMLElement>('[data-chat-link][aria-current=page]')?.focus()
  }
  const toast =
    pending === undefined ? (
      <Toast>{words.changeFailed}</Toast>
    ) : (
      <Toast action={{ label: words.undo, onChoose: () => bringBack(pending.id) }} onHold={hold}>
        {words.removed(pending.title || words.untitled)}
      </Toast>
    )
  // Outside of the panel, which moves out of the window on a phone.
  return createPortal(toast, document.body)
}

interface ToastProps {
  readonly children: ReactNode
  readonly action?: { readonly label: string; readonly onChoose: () => void } | undefined
  /** Called when a person begins or ends to look at the toast with the pointer or the keyboard. */
  readonly onHold?: ((isHeld: boolean) => void) | undefined
}

/** A short notice at the bottom of the page, with at most one thing to do. */
function Toast({ children, action, onHold }: ToastProps) {
  return (
    <div
      role="status"
      onPointerEnter={() => onHold?.(true)}
      onPointerLeave={() => onHold?.(false)}
      onFocus={() => onHold?.(true)}
      onBlur={() => onHold?.(false)}
      className="fixed bottom-24 left-1/2 z-30 flex max-w-[calc(100vw-2rem)] -translate-x-1/2 items-center gap-3 rounded-xl bg-ink px-4 py-2.5 text-sm text-page shadow-lg"
    >
      <span className="truncate">{children}</span>
      {action !== undefined && (
        <button
          type="button"
          onClick={action.onChoose}
          className="shrink-0 rounded-lg px-2 py-1 font-semibold underline underline-offset-4"
        >
          {action.label}
        </button>
      )}
    </div>
  )
}
