import type { ChatId, ListedChat } from '@throughline/protocol'
import { Activity, Bot, Settings, SquarePen, SunMoon } from 'lucide-react'
import {
  type ComponentType,
  type ReactNode,
  useCallback,
  useEffect,
  useId,
  useMemo,
  useRef,
  useState,
} from 'react'
import { PageLink } from '../navigation/page-link.tsx'
import type { PageRoute } from '../navigation/route.ts'
import { addressOf } from '../server/base-path.ts'
import { useSettings, useWords } from '../settings/settings.tsx'
import { isDark } from '../settings/theme.ts'
import { RemovalToast, useRemoval } from './chat-removal.tsx'
import { ChatRow } from './chat-row.tsx'
import { SearchField, SearchResults, useSearch } from './chat-search.tsx'
import { groupChats } from './group-chats.ts'
import { moveBetweenRows, useRowFocus } from './row-focus.ts'
import type { ChatsList } from './use-chats.ts'

interface Props {
  readonly list: ChatsList
  readonly unread: ReadonlySet<ChatId>
  readonly current: ChatId | undefined
  readonly onShow: (chatId: ChatId) => void
  readonly onNew: () => void
  /** Goes to another page. */
  readonly onGo: (route: PageRoute) => void
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
    const { exportChat } = await import('./export/export-chat.ts')
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
            <SearchResults search={search} hidden={removal.hidden} row={row} />
          )}
        </div>
        <PanelFooter onGo={onGo} />
      </nav>
      <RemovalToast removal={removal} hasFailed={failure.isShown} onUndo={onShow} />
      {dialog}
    </>
  )
}

/** The name of the page, and the button for a new chat. */
function PanelHeader({ onNew }: { readonly onNew: () => void }) {
  const words = useWords()
  return (
    <>
      <header className="flex items-center gap-2.5 px-4 pt-4 pb-3">
        <img src={addressOf('/icon.svg')} alt="" className="size-7" />
        <span className="text-lg font-semibold tracking-tight">Throughline</span>
      </header>
      <button
        type="button"
        onClick={onNew}
        data-shortcut="new"
        className="mx-3 mb-2 flex items-center gap-2 rounded-xl border border-line bg-raised px-3 py-2 font-medium hover:border-accent"
      >
        <SquarePen size={16} /> {words.newChat}
      </button>
    </>
  )
}

interface GroupsProps {
  readonly chats: readonly ListedChat[]
  readonly isLoaded: boolean
  readonly row: (chat: ListedChat) => ReactNode
}

/** The chats in their groups: pinned ones, then by day. */
function ChatGroups({ chats, isLoaded, row }: GroupsProps) {
  const words = useWords()
  if (isLoaded && chats.length === 0) return <p className="px-3 py-2 text-sm text-muted">{words.noChats}</p>
  return groupChats(chats, new Date()).map(({ name, chats: grouped }) => (
    <Group key={name} title={words[name]}>
      {grouped.map(chat => row(chat))}
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

const look =
  'flex items-center gap-1 rounded-lg px-1 py-1 hover:text-ink pointer-coarse:min-h-10 pointer-coarse:min-w-10'

/** The ways to the other pages, below the list of chats. */
function PanelFooter({ onGo }: { readonly onGo: (route: PageRoute) => void }) {
  const { words, setTheme } = useSettings()
  return (
    <footer className="flex flex-wrap items-center border-t border-line px-3 py-2 text-[13px] text-muted">
      <PageLink route={{ page: 'agents' }} onGo={onGo} className={look}>
        <Bot size={15} /> {words.agents}
      </PageLink>
      <PageLink route={{ page: 'settings' }} onGo={onGo} className={look}>
        <Settings size={15} /> {words.settings}
      </PageLink>
      <PageLink route={{ page: 'status' }} onGo={onGo} className={look}>
        <Activity size={15} /> {words.status}
      </PageLink>
      <button
        type="button"
        aria-label={words.theme}
        title={words.theme}
        onClick={() => setTheme(isDark() ? 'light' : 'dark')}
        className={`${look} ml-auto justify-center`}
      >
        <SunMoon size={16} />
      </button>
    </footer>
  )
}

/** How long the note is shown, in milliseconds. */
const shownMs = 6_000

/** Returns whether something that the person asked for did not work a short time ago, and a function that says so. */
function useFailureNote(): { readonly isShown: boolean; show(): void } {
  // Counted, so that a second failure shows the note for as long again.
  const [failures, setFailures] = useState(0)
  const [isShown, setIsShown] = useState(false)
  useEffect(() => {
    if (failures === 0) return
    setIsShown(true)
    const timer = setTimeout(() => setIsShown(false), shownMs)
    return () => clearTimeout(timer)
  }, [failures])
  return { isShown, show: useCallback(() => setFailures(count => count + 1), []) }
}

/** The chat that is being shared, and the dialog for it, which is loaded when it is first needed. */
interface SharedRow {
  readonly chat: ListedChat
  readonly Dialog: ComponentType<{ readonly chat: ListedChat; readonly onClose: () => void }>
}

interface ShareDialog {
  /** Opens the dialog for a chat. Rejects when its script cannot be loaded. */
  share(chat: ListedChat): Promise<void>
  /** What to draw: the open dialog, or nothing. */
  readonly dialog: ReactNode
}

/** Returns the dialog that shares a chat of the list. */
function useShareDialog(): ShareDialog {
  const [shared, setShared] = useState<SharedRow>()
  return {
    async share(chat) {
      const { ShareDialog: Dialog } = await import('./share-dialog.tsx')
      setShared({ chat, Dialog })
    },
    dialog: shared && <shared.Dialog chat={shared.chat} onClose={() => setShared(undefined)} />,
  }
}

/** Whether people can share chats. The server writes it into the page: see the `throughline-sharing` element in index.html. */
const canShare = document.querySelector('[name=throughline-sharing][content=off]') === null
