import type { ChatId, ListedChat } from '@throughline/protocol'
import { isFoundChats } from '@throughline/protocol/internal'
import { Search as SearchIcon } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { useKeys } from '../browser/use-keys.ts'
import { callServer } from '../server/call-server.ts'
import { useWords } from '../settings/settings.tsx'

/** The field to search in chats. Ctrl+K or ⌘K leads to it, and Escape clears it. */
export function SearchField({ search }: { readonly search: Search }) {
  const words = useWords()
  const field = useRef<HTMLInputElement>(null)
  useKeys(event => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey) return
    event.preventDefault()
    field.current?.focus()
  })
  return (
    <search className="relative mx-3 mb-2">
      <SearchIcon
        size={15}
        aria-hidden="true"
        className="absolute top-1/2 left-3 -translate-y-1/2 text-muted"
      />
      <input
        ref={field}
        type="search"
        value={search.text}
        maxLength={200}
        aria-label={words.searchChats}
        placeholder={words.searchChats}
        aria-keyshortcuts="Control+K Meta+K"
        onChange={event => search.setText(event.currentTarget.value)}
        onKeyDown={event => {
          if (event.key !== 'Escape' || event.nativeEvent.isComposing || search.text === '') return
          // It closes nothing else.
          event.stopPropagation()
          search.setText('')
        }}
        className="w-full rounded-xl border border-line bg-raised py-1.5 pr-2 pl-9 text-base outline-none placeholder:text-muted focus:border-accent md:text-sm"
      />
    </search>
  )
}

interface Props {
  readonly search: Search
  /** The chats that are not shown. */
  readonly hidden: ReadonlySet<ChatId>
  readonly row: (chat: ListedChat, excerpt?: ReactNode) => ReactNode
}

/** The chats that a search has found, and how many there are. */
export function SearchResults({ search, hidden, row }: Props) {
  const words = useWords()
  const { status, isPartial, text } = search
  const found = search.found.filter(({ chat }) => !hidden.has(chat.id))
  return (
    <>
      <p role="status" className="px-3 py-1 text-xs text-muted">
        {status === 'failed' && words.searchFailed}
        {status === 'searching' && words.searching}
        {status === 'found' && (isPartial ? words.foundSome(found.length) : words.found(found.length))}
      </p>
      <ul>
        {found.map(({ chat, excerpt }) =>
          row(chat, excerpt === undefined ? undefined : <Excerpt text={excerpt} found={text.trim()} />),
        )}
      </ul>
    </>
  )
}

/** A line of a message that was found, with what was searched for marked in it. */
function Excerpt({ text, found }: { readonly text: string; readonly found: string }) {
  const at = text.toLowerCase().indexOf(found.toLowerCase())
  if (at === -1) return text
  const end = at + found.length
  return (
    <>
      {text.slice(0, at)}
      <mark className="rounded-sm bg-accent-soft text-ink">{text.slice(at, end)}</mark>
      {text.slice(end)}
    </>
  )
}

/** A chat that was found, as the list shows it. */
interface Found {
  readonly chat: ListedChat
  /** A line of a message that contains the text. Missing when only the title contains it. */
  readonly excerpt?: string | undefined
}

interface Search {
  readonly text: string
  setText(text: string): void
  /**
   * `off`: nothing is searched for. `searching`: the result is not there yet; what was found before may be shown.
   * `failed`: the server did not respond.
   */
  readonly status: 'off' | 'searching' | 'found' | 'failed'
  readonly found: readonly Found[]
  /** Whether there may be more. */
  readonly isPartial: boolean
}

/** How long to wait for the next letter before the server is asked, in milliseconds. */
const typingMs = 200

const nothing = { text: '', found: [], isPartial: false, hasFailed: false }

/** Searches the titles and texts of all chats, as the person types. `chats` is the live list. */
export function useSearch(chats: readonly ListedChat[]): Search {
  const [text, setText] = useState('')
  const [result, setResult] = useState<Omit<Search, 'setText' | 'status'> & { hasFailed: boolean }>(nothing)
  const asked = text.trim()
  useEffect(() => {
    if (asked === '') return setResult(nothing)
    let isLatest = true
    const ask = async () => {
      const next = await searchServer(asked).catch(() => ({ found: [], isPartial: false, hasFailed: true }))
      if (isLatest) setResult({ hasFailed: false, ...next, text: asked })
    }
    const timer = setTimeout(ask, typingMs)
    return () => {
      isLatest = false
      clearTimeout(timer)
    }
  }, [asked])
  return useMemo(() => {
    const live = new Map<ChatId, ListedChat>(chats.map(chat => [chat.id, chat]))
    const found = result.found.map(each => ({ ...each, chat: live.get(each.chat.id) ?? each.chat }))
    const answered = result.hasFailed ? 'failed' : 'found'
    const status = asked === '' ? 'off' : result.text === asked ? answered : 'searching'
    return { text, setText, status, found, isPartial: result.isPartial }
  }, [text, asked, result, chats])
}

async function searchServer(text: string): Promise<Pick<Search, 'found' | 'isPartial'>> {
  const { chats, isComplete } = await callServer(
    isFoundChats,
    'GET',
    `/api/chats?q=${encodeURIComponent(text.toWellFormed())}`,
  )
  return { found: chats.map(({ excerpt, ...chat }) => ({ chat, excerpt })), isPartial: !isComplete }
}
