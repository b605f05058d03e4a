import type { ListedChat } from '@throughline/protocol'
import { Ellipsis, FileJson, FileText, Link, Pencil, Pin, PinOff, Trash2 } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useWords } from '../settings/settings.tsx'
import type { Words } from '../words/first/en.ts'

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

interface TitleProps {
  readonly title: string
  /** What is in the field at first. */
  readonly draft: string
  /** Whether it takes the focus: for a field that a person has just opened. */
  readonly takesFocus: boolean
  /**
   * Called once, with the new title. With the old one when the person has cancelled. `byKey` is false when the person
   * has left the field.
   */
  readonly onEnd: (title: string, byKey: boolean) => void
}

/** The field to rename a chat, in place of its row. Enter or leaving it ends it, Escape cancels. */
function TitleField({ title, draft, takesFocus, onEnd }: TitleProps) {
  const words = useWords()
  const hasEnded = useRef(false)
  const end = (name: string, byKey: boolean) => {
    if (hasEnded.current) return
    hasEnded.current = true
    onEnd(name.trim(), byKey)
  }
  return (
    <input
      defaultValue={draft}
      aria-label={words.rename}
      maxLength={200}
      // biome-ignore lint/a11y/noAutofocus: it takes the place of the row whose menu was just used
      autoFocus={takesFocus}
      onFocus={event => event.currentTarget.select()}
      onBlur={event => end(event.currentTarget.value, false)}
      onKeyDown={event => {
        // A key that chooses a suggestion of an input method does not end the field.
        if (event.nativeEvent.isComposing) return
        if (event.key === 'Enter') end(event.currentTarget.value, true)
        if (event.key !== 'Escape') return
        // It closes nothing else.
        event.stopPropagation()
        end(title, true)
      }}
      className="w-full rounded-lg border border-accent bg-raised px-3 py-1.5 text-base outline-none md:text-[15px]"
    />
  )
}

interface StateProps extends Pick<ListedChat, 'activity'> {
  readonly isUnread: boolean
}

/** Says in a row of the list what the chat does, or that it has a new answer. Nothing for all others. */
function ChatState({ activity, isUnread }: StateProps) {
  const words = useWords()
  if (activity === 'waiting') return <Mark dot="bg-warning" ink="text-warning" text={words.waiting} />
  if (activity === 'running') return <Mark dot="bg-muted" ink="text-muted" text={words.running} isLive />
  return isUnread ? <Mark dot="bg-accent" ink="text-accent" text={words.unread} /> : undefined
}

interface MarkProps {
  /** The class with the colour of the dot, and the one with the colour of the text. */
  readonly dot: string
  readonly ink: string
  readonly text: string
  readonly isLive?: boolean
}

function Mark({ dot, ink, text, isLive = false }: MarkProps) {
  return (
    <span data-state className={`flex items-center gap-1.5 text-xs ${ink}`}>
      <span aria-hidden="true" className={`size-1.5 rounded-full ${dot} ${isLive ? 'animate-pulse' : ''}`} />
      {text}
    </span>
  )
}

/** What can be done with a chat of the list. */
interface RowActions {
  readonly onPin: (isPinned: boolean) => void
  readonly onRename: () => void
  /** `undefined` when the server does not offer it. */
  readonly onShare: (() => void) | undefined
  readonly onExport: (form: 'markdown' | 'json') => void
  readonly onRemove: () => void
}

/** Returns the items of a chat's menu. */
function rowActions(
  { pinnedAt }: ListedChat,
  words: Words,
  { onPin, onRename, onShare, onExport, onRemove }: RowActions,
): readonly MenuAction[] {
  const isPinned = pinnedAt !== undefined
  return [
    {
      label: isPinned ? words.unpin : words.pin,
      icon: isPinned ? <PinOff size={15} /> : <Pin size={15} />,
      onChoose: () => onPin(!isPinned),
    },
    { label: words.rename, icon: <Pencil size={15} />, onChoose: onRename },
    ...(onShare === undefined ? [] : [{ label: words.share, icon: <Link size={15} />, onChoose: onShare }]),
    { label: words.exportMarkdown, icon: <FileText size={15} />, onChoose: () => onExport('markdown') },
    { label: words.exportJson, icon: <FileJson size={15} />, onChoose: () => onExport('json') },
    { label: words.remove, icon: <Trash2 size={15} />, isDangerous: true, onChoose: onRemove },
  ]
}

interface MenuAction {
  readonly label: string
  readonly icon: ReactNode
  readonly isDangerous?: boolean
  readonly onChoose: () => void
}

interface MenuProps {
  /** What the menu is for. Said to people who do not see the row. */
  readonly title: string
  readonly actions: readonly MenuAction[]
}

/**
 * A button that opens a menu. It is a popover of the browser: it is above everything, and Escape or a press elsewhere
 * closes it and gives the focus back. The arrow keys, Home and End move between its items.
 */
function RowMenu({ title, actions }: MenuProps) {
  const words = useWords()
  const id = useId()
  const [isOpen, setIsOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const menu = useRef<HTMLDivElement>(null)
  const onToggle = (isNowOpen: boolean) => {
    setIsOpen(isNowOpen)
    if (!isNowOpen) return
    if (button.current !== null && menu.current !== null) place(menu.current, button.current)
    menu.current?.querySelector('button')?.focus()
  }
  return (
    <>
      <button
        ref={button}
        type="button"
        popoverTarget={id}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={words.actionsFor(title)}
        data-row-menu
        className="row-menu shrink-0 rounded-lg p-2 text-muted hover:text-ink pointer-coarse:p-3"
      >
        <Ellipsis size={16} />
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        aria-label={words.actionsFor(title)}
        onToggle={event => onToggle(event.newState === 'open')}
        onKeyDown={moveInMenu}
        className="fixed inset-auto m-0 min-w-48 rounded-xl border border-line bg-raised p-1 text-ink shadow-lg"
      >
        {actions.map(({ label, icon, isDangerous = false, onChoose }) => (
          <button
            key={label}
            type="button"
            role="menuitem"
            tabIndex={-1}
            onClick={() => {
              menu.current?.hidePopover()
              onChoose()
            }}
            className={`flex w-full items-center gap-2.5 rounded-lg px-3 py-2 text-left text-sm hover:bg-panel pointer-coarse:py-2.5 focus-visible:bg-panel ${isDangerous ? 'text-danger' : ''}`}
          >
            {icon} {label}
          </button>
        ))}
      </div>
    </>
  )
}

/** Puts the menu below the button, or above it where there is no room below, and never outside of the window. */
function place(menu: HTMLElement, button: HTMLElement): void {
  const { bottom, top, right } = button.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = menu
  const fitsBelow = bottom + height <= innerHeight
  menu.style.left = `${Math.max(8, Math.min(right - width, innerWidth - width - 8))}px`
  menu.style.top = `${Math.max(8, fitsBelow ? bottom : top - height)}px`
}

function moveInMenu(event: KeyboardEvent<HTMLElement>): void {
  const items = [...event.currentTarget.querySelectorAll('button')]
  const at = items.findIndex(item => item.matches(':focus'))
  const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key]
  if (event.key === 'Tab') event.currentTarget.hidePopover()
  // The list of chats has keys of its own.
  event.stopPropagation()
  if (next === undefined) return
  event.preventDefault()
  items.at(next % items.length)?.focus()
}
