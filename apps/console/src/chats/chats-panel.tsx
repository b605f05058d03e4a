import type { ChatId, ListedChat } from '@throughline/protocol'
import { type ReactNode, useMemo, useRef } from 'react'
import { canShare } from '../can-share.ts'
import type { Route } from '../navigation/route.ts'
import { useWords } from '../settings/settings.tsx'
import { ChatGroups } from './chat-groups.tsx'
import { ChatRow } from './chat-row.tsx'
import { FoundChats } from './found-chats.tsx'
import { PanelFooter } from './panel-footer.tsx'
import { PanelHeader } from './panel-header.tsx'
import { RemovalToast } from './removal-toast.tsx'
import { moveBetweenRows } from './row-keys.ts'
import { SearchField } from './search-field.tsx'
import type { ChatsList } from './use-chats.ts'
import { useFailureNote } from './use-failure-note.ts'
import { useRemoval } from './use-removal.ts'
import { useRowFocus } from './use-row-focus.ts'
import { useSearch } from './use-search.ts'
import { useShareDialog } from './use-share-dialog.tsx'

interface Props {
  readonly list: ChatsList
  readonly unread: ReadonlySet<ChatId>
  readonly current: ChatId | undefined
  readonly onShow: (chatId: ChatId) => void
  readonly onNew: () => void
  /** Goes to another page. */
  readonly onGo: (route: Route) => void
  /** Drawn first. */
  readonly children: ReactNode
}

/** The list of chats with its search, and the ways to the other pages. */
export function ChatsPanel({ list, unread, current, onShow, onNew, onGo, children }: Props) {
  const words = useWords()
  const failure = useFailureNote()
  const panel = useRef<HTMLElement>(null)
  useRowFocus(panel)
  const removal = useRemoval(list.chats, failure.show)
  const search = useSearch(list.chats)
  const chats = useMemo(
    () => list.chats.filter(({ id }) => !removal.hidden.has(id)),
    [list.chats, removal.hidden],
  )
  const attempt = (work: Promise<unknown>) => void work.catch(failure.show)
  const rename = (chatId: ChatId, title: string) => {
    const renamed = list.rename(chatId, title)
    attempt(renamed)
    return renamed
  }
  const saveAs = async (chat: ListedChat, form: 'markdown' | 'json') => {
    const { exportChat } = await import('./export-chat.ts')
    await exportChat(chat, form, words)
  }
  const { share, dialog } = useShareDialog()
  const row = (chat: ListedChat, excerpt?: ReactNode) => (
    <ChatRow
      key={chat.id}
      chat={chat}
      excerpt={excerpt}
      isCurrent={chat.id === current}
      isUnread={unread.has(chat.id)}
      onShow={() => onShow(chat.id)}
      onRename={title => rename(chat.id, title)}
      onPin={isPinned => attempt(list.pin(chat.id, isPinned))}
      onShare={canShare ? () => attempt(share(chat)) : undefined}
      onExport={form => attempt(saveAs(chat, form))}
      onRemove={() => {
        removal.remove(chat)
        if (chat.id === current) onNew()
      }}
    />
  )
  return (
    <>
      <nav
        ref={panel}
        aria-label={words.chats}
        onKeyDown={moveBetweenRows}
        className="flex h-full w-72 flex-col border-r border-line bg-panel"
      >
        {children}
        <PanelHeader onNew={onNew} />
        <SearchField search={search} />
        <div className="min-h-0 flex-1 overflow-y-auto px-3 pb-2">
          {search.status === 'off' ? (
            <ChatGroups chats={chats} isLoaded={list.isLoaded} row={row} />
          ) : (
            <FoundChats search={search} hidden={removal.hidden} row={row} />
          )}
        </div>
        <PanelFooter onGo={onGo} />
      </nav>
      <RemovalToast removal={removal} hasFailed={failure.isShown} onUndo={onShow} />
      {dialog}
    </>
  )
}
