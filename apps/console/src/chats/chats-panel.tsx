import type { ChatId } from '@throughline/protocol'
import { Languages, Pencil, SquarePen, SunMoon, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { addressOf } from '../base-path.ts'
import { useSettings, useWords } from '../settings/settings.tsx'
import type { ChatItem, ChatsList } from './use-chats.ts'

interface Props {
  readonly list: ChatsList
  readonly current: ChatId
  readonly onShow: (chatId: ChatId) => void
  readonly onNew: () => void
}

/** The list of chats, and the settings of the page. */
export function ChatsPanel({ list, current, onShow, onNew }: Props) {
  const { words, toggleLanguage, toggleTheme } = useSettings()
  const remove = async (chat: ChatItem) => {
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
        {list.chats.length === 0 && <li className="px-3 py-2 text-sm text-muted">{words.noChats}</li>}
        {list.chats.map(chat => (
          <ChatRow
            key={chat.id}
            chat={chat}
            isCurrent={chat.id === current}
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

interface RowProps {
  readonly chat: ChatItem
  readonly isCurrent: boolean
  readonly onShow: () => void
  readonly onRename: (title: string) => Promise<void>
  readonly onRemove: () => void
}

function ChatRow({ chat, isCurrent, onShow, onRename, onRemove }: RowProps) {
  const words = useWords()
  const [isEditing, setIsEditing] = useState(false)
  const title = chat.title || words.untitled
  if (isEditing) {
    const rename = async (form: FormData) => {
      const name = String(form.get('title') ?? '').trim()
      setIsEditing(false)
      if (name !== '' && name !== chat.title) await onRename(name)
    }
    return (
      <li>
        <form action={rename}>
          <input
            name="title"
            defaultValue={chat.title}
            aria-label={words.rename}
            maxLength={200}
            // biome-ignore lint/a11y/noAutofocus: it takes the place of the button that was just pressed
            autoFocus
            onBlur={event => event.currentTarget.form?.requestSubmit()}
            onKeyDown={event => event.key === 'Escape' && setIsEditing(false)}
            className="w-full rounded-lg border border-accent bg-raised px-3 py-1.5 outline-none"
          />
        </form>
      </li>
    )
  }
  return (
    <li className={`group flex items-center rounded-lg ${isCurrent ? 'bg-accent-soft' : 'hover:bg-raised'}`}>
      <button
        type="button"
        onClick={onShow}
        aria-current={isCurrent ? 'page' : undefined}
        title={title}
        className="min-w-0 flex-1 truncate px-3 py-1.5 text-left"
      >
        {title}
        {chat.channel !== undefined && (
          <span className="ml-2 rounded border border-line bg-raised px-1.5 py-0.5 text-xs text-muted">
            {chat.channel}
          </span>
        )}
      </button>
      <span className="hidden shrink-0 pr-1 text-muted group-focus-within:flex group-hover:flex">
        <button
          type="button"
          aria-label={`${words.rename}: ${title}`}
          title={words.rename}
          onClick={() => setIsEditing(true)}
          className="p-1.5 hover:text-ink"
        >
          <Pencil size={14} />
        </button>
        <button
          type="button"
          aria-label={`${words.remove}: ${title}`}
          title={words.remove}
          onClick={onRemove}
          className="p-1.5 hover:text-danger"
        >
          <Trash2 size={14} />
        </button>
      </span>
    </li>
  )
}
