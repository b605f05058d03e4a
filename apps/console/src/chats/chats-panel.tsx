import type { ChatId, ListedChat } from '@throughline/protocol'
import { SquarePen } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { addressOf } from '../base-path.ts'
import { useWords } from '../settings/settings.tsx'
import { ChatRow } from './chat-row.tsx'
import { Excerpt } from './excerpt.tsx'
import { groupChats } from './group-chats.ts'
import { PanelFooter } from './panel-footer.tsx'
import { moveBetweenRows } from './row-keys.ts'
import { SearchField } from './search-field.tsx'
import type { ChatsList } from './use-chats.ts'
import { type Search, useSearch } from './use-search.ts'

interface Props {
  readonly list: ChatsList
  readonly unread: ReadonlySet<ChatId>
  readonly current: ChatId
  readonly onShow: (chatId: ChatId) => void
  readonly onNew: () => void
}

/** The list of chats with its search, and the settings of the page. */
export function ChatsPanel({ list, unread, current, onShow, onNew }: Props) {
  const words = useWords()
  const search = useSearch(list.chats)
  const remove = async (chat: ListedChat) => {
    if (!confirm(words.confirmRemove(chat.title || words.untitled))) return
    await list.remove(chat.id)
    if (chat.id === current) onNew()
  }
  const row = (chat: ListedChat, excerpt?: ReactNode) => (
    <ChatRow
      key={chat.id}
      chat={chat}
      excerpt={excerpt}
      isCurrent={chat.id === current}
      isUnread={unread.has(chat.id)}
      onShow={() => onShow(chat.id)}
      onRename={title => list.rename(chat.id, title)}
      onRemove={() => remove(chat)}
    />
  )
  return (
    <nav
      aria-label={words.chats}
      onKeyDown={moveBetweenRows}
      className="flex h-full w-72 flex-col border-r border-line bg-panel"
    >
      <header className="flex items-center gap-2.5 px-4 pt-4 pb-3">
        <img src={addressOf('/icon.svg')} alt="" className="size-7" />
        <span className="text-lg font-semibold tracking-tight">Throughline</span>
      </header>
      <button
        type="button"
        onClick={onNew}
        className="mx-3 mb-2 flex items-center gap-2 rounded-xl border border-line bg-raised px-3 py-2 font-medium hover:border-accent"
      >
        <SquarePen size={16} /> {words.newChat}
      </button>
      <SearchField search={search} />
      <div className="min-h-0 flex-1 overflow-y-auto px-3 pb-2">
        {search.status === 'off' ? <Groups list={list} row={row} /> : <Found search={search} row={row} />}
      </div>
      <PanelFooter />
    </nav>
  )
}

type DrawRow = (chat: ListedChat, excerpt?: ReactNode) => ReactNode

function Groups({ list, row }: { readonly list: ChatsList; readonly row: DrawRow }) {
  const words = useWords()
  if (list.isLoaded && list.chats.length === 0) return <Note>{words.noChats}</Note>
  return groupChats(list.chats, new Date()).map(({ name, chats }) => (
    <Group key={name} title={words[name]}>
      {chats.map(chat => row(chat))}
    </Group>
  ))
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id}>
      <h2 id={id} className="px-3 pt-3 pb-1 text-xs font-medium text-muted">
        {title}
      </h2>
      <ul>{children}</ul>
    </section>
  )
}

function Found({ search, row }: { readonly search: Search; readonly row: DrawRow }) {
  const words = useWords()
  const { status, found, isPartial, text } = search
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

function Note({ children }: { readonly children: ReactNode }) {
  return <p className="px-3 py-2 text-sm text-muted">{children}</p>
}
