import type { ChatId, ListedChat } from '@throughline/protocol'
import { Bell, BellOff, Languages, SquarePen, SunMoon } from 'lucide-react'
import { addressOf } from '../base-path.ts'
import { canNotify } from '../settings/notifications.ts'
import { useSettings } from '../settings/settings.tsx'
import { ChatRow } from './chat-row.tsx'
import type { ChatsList } from './use-chats.ts'

interface Props {
  readonly list: ChatsList
  readonly unread: ReadonlySet<ChatId>
  readonly current: ChatId
  readonly onShow: (chatId: ChatId) => void
  readonly onNew: () => void
}

/** The list of chats, and the settings of the page. */
export function ChatsPanel({ list, unread, current, onShow, onNew }: Props) {
  const { words, notifies, toggleLanguage, toggleNotifications, toggleTheme } = useSettings()
  const remove = async (chat: ListedChat) => {
    if (!confirm(words.confirmRemove(chat.title || words.untitled))) return
    await list.remove(chat.id)
    if (chat.id === current) onNew()
  }
  return (
    <nav aria-label={words.chats} className="flex h-full w-72 flex-col border-r border-line bg-panel">
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
      <ul className="min-h-0 flex-1 overflow-y-auto px-3 pb-2">
        {list.isLoaded && list.chats.length === 0 && (
          <li className="px-3 py-2 text-sm text-muted">{words.noChats}</li>
        )}
        {list.chats.map(chat => (
          <ChatRow
            key={chat.id}
            chat={chat}
            isCurrent={chat.id === current}
            isUnread={unread.has(chat.id)}
            onShow={() => onShow(chat.id)}
            onRename={title => list.rename(chat.id, title)}
            onRemove={() => remove(chat)}
          />
        ))}
      </ul>
      <footer className="flex gap-1 border-t border-line px-3 py-2 text-sm text-muted">
        <button
          type="button"
          onClick={toggleTheme}
          className="flex items-center gap-1.5 rounded-lg px-2 py-1 hover:text-ink"
        >
          <SunMoon size={16} /> {words.theme}
        </button>
        {canNotify() && (
          <button
            type="button"
            onClick={toggleNotifications}
            aria-pressed={notifies}
            aria-label={words.notifications}
            title={words.notifications}
            className={`rounded-lg px-2 py-1 hover:text-ink ${notifies ? 'text-accent' : ''}`}
          >
            {notifies ? <Bell size={16} /> : <BellOff size={16} />}
          </button>
        )}
        <button
          type="button"
          onClick={toggleLanguage}
          className="ml-auto flex items-center gap-1.5 rounded-lg px-2 py-1 hover:text-ink"
        >
          <Languages size={16} /> {words.language}
        </button>
      </footer>
    </nav>
  )
}
