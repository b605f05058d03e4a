import type { ListedChat } from '@throughline/protocol'
import { Pin } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useWords } from '../settings/settings.tsx'
import { ChatState } from './chat-state.tsx'
import { type RowActions, rowActions } from './row-actions.tsx'
import { RowMenu } from './row-menu.tsx'
import { TitleField } from './title-field.tsx'

interface Props extends Omit<RowActions, 'onRename'> {
  readonly chat: ListedChat
  /** Drawn below the title. */
  readonly excerpt?: ReactNode
  readonly isCurrent: boolean
  readonly isUnread: boolean
  readonly onShow: () => void
  /** Rejects when the new title could not be saved. */
  readonly onRename: (title: string) => Promise<void>
}

/** One chat of the list. */
export function ChatRow({ chat, excerpt, isCurrent, isUnread, onShow, onRename, ...actions }: Props) {
  const words = useWords()
  // The title that the person is writing; `undefined` when the row is shown.
  const [draft, setDraft] = useState<string>()
  const [hasFailed, setHasFailed] = useState(false)
  const link = useRef<HTMLButtonElement>(null)
  const title = chat.title || words.untitled
  if (draft !== undefined) {
    const end = (name: string, byKey: boolean) => {
      // Draws at once, because the button that gets the focus must be on the page.
      flushSync(() => setDraft(undefined))
      if (byKey) link.current?.focus()
      setHasFailed(false)
      if (name === '' || name === chat.title) return
      onRename(name).catch(() => {
        // What was written is not lost. The field leaves the focus where it is: the person may type elsewhere by now.
        setHasFailed(true)
        setDraft(name)
      })
    }
    return (
      <li data-row={chat.id}>
        <TitleField title={chat.title} draft={draft} takesFocus={!hasFailed} onEnd={end} />
      </li>
    )
  }
  return (
    <li
      data-row={chat.id}
      className={`group flex items-center rounded-lg ${isCurrent ? 'bg-accent-soft' : 'hover:bg-raised'}`}
    >
      <button
        ref={link}
        type="button"
        onClick={onShow}
        aria-current={isCurrent ? 'page' : undefined}
        title={title}
        data-chat-link
        className="min-w-0 flex-1 py-1.5 pl-3 text-left pointer-coarse:py-2"
      >
        <span className="flex items-center gap-2">
          <span className={`truncate ${isUnread ? 'font-semibold' : ''}`}>{title}</span>
          {chat.pinnedAt !== undefined && (
            <Pin size={12} role="img" aria-label={words.pinned} className="shrink-0 text-muted" />
          )}
          {chat.channel !== undefined && (
            <span className="shrink-0 rounded border border-line bg-raised px-1.5 py-0.5 text-xs text-muted">
              {chat.channel}
            </span>
          )}
        </span>
        <ChatState activity={chat.activity} isUnread={isUnread} />
        {excerpt !== undefined && <span className="line-clamp-2 text-xs text-muted">{excerpt}</span>}
      </button>
      <RowMenu
        title={title}
        actions={rowActions(chat, words, { ...actions, onRename: () => setDraft(chat.title) })}
      />
    </li>
  )
}
