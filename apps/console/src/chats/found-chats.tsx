import type { ChatId, ListedChat } from '@throughline/protocol'
import type { ReactNode } from 'react'
import { useWords } from '../settings/settings.tsx'
import { Excerpt } from './excerpt.tsx'
import type { Search } from './use-search.ts'

interface Props {
  readonly search: Search
  /** The chats that are not shown. */
  readonly hidden: ReadonlySet<ChatId>
  readonly row: (chat: ListedChat, excerpt?: ReactNode) => ReactNode
}

/** The chats that a search has found, and how many there are. */
export function FoundChats({ search, hidden, row }: Props) {
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
