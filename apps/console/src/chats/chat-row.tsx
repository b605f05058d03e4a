import type { ListedChat } from '@throughline/protocol'
import { Pencil, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useWords } from '../settings/settings.tsx'
import { ChatState } from './chat-state.tsx'

interface Props {
  readonly chat: ListedChat
  /** Drawn below the title. */
  readonly excerpt?: ReactNode
  readonly isCurrent: boolean
  readonly isUnread: boolean
  readonly onShow: () => void
  readonly onRename: (title: string) => Promise<void>
  readonly onRemove: () => void
}

/** One chat of the list. */
export function ChatRow({ chat, excerpt, isCurrent, isUnread, onShow, onRename, onRemove }: Props) {
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
        data-chat-link
        className="min-w-0 flex-1 px-3 py-1.5 text-left"
      >
        <span className="flex items-center gap-2">
          <span className={`truncate ${isUnread ? 'font-semibold' : ''}`}>{title}</span>
          {chat.channel !== undefined && (
            <span className="shrink-0 rounded border border-line bg-raised px-1.5 py-0.5 text-xs text-muted">
              {chat.channel}
            </span>
          )}
          <ChatState activity={chat.activity} isUnread={isUnread} />
        </span>
        {excerpt !== undefined && <span className="line-clamp-2 text-xs text-muted">{excerpt}</span>}
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
