import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { flushSync } from 'react-dom'
import { useKeys } from '../browser/use-keys.ts'
import { useMedia } from '../browser/use-media.ts'
import { useWords } from '../settings/settings.tsx'
import { menuButton } from './page-header.tsx'

interface Props {
  readonly isOpen: boolean
  readonly onOpen: () => void
  readonly onClose: () => void
  /** What the drawer holds. */
  readonly panel: ReactNode
  /** The page beside the drawer. */
  readonly children: ReactNode
}

/**
 * A panel beside the page. In a narrow window it is a drawer above the page: a closed drawer cannot be reached with the
 * Tab key, and neither can the page behind an open one. Escape and a press beside it close it.
 */
export function Drawer({ isOpen, onOpen, onClose, panel, children }: Props) {
  const words = useWords()
  // The same width as Tailwind's `md`.
  const isNarrow = useMedia('(width < 48rem)')
  const isAbove = isNarrow && isOpen
  const drawer = useRef<HTMLDivElement>(null)
  useFocusInDrawer(isAbove, drawer)
  useCloseWithEscape(isAbove, onClose)
  useSearchShortcut(isNarrow && !isOpen, onOpen)
  return (
    <>
      <div
        ref={drawer}
        data-drawer
        inert={isNarrow && !isOpen}
        className={`safe-area fixed inset-y-0 left-0 z-20 bg-panel transition-transform md:static md:translate-x-0 md:p-0 ${isOpen ? '' : '-translate-x-full'}`}
      >
        {panel}
      </div>
      {isAbove && (
        <button
          type="button"
          aria-label={words.closeMenu}
          onClick={onClose}
          className="fixed inset-0 z-10 bg-black/40"
        />
      )}
      <div inert={isAbove} className="contents">
        {children}
      </div>
    </>
  )
}

/** Moves the focus into the drawer when it opens, and to the button that opens it when it closes. */
function useFocusInDrawer(isAbove: boolean, drawer: { readonly current: HTMLElement | null }): void {
  const wasAbove = useRef(false)
  useLayoutEffect(() => {
    if (isAbove) drawer.current?.querySelector<HTMLElement>('button:not([data-skip])')?.focus()
    else if (wasAbove.current) menuButton()?.focus()
    wasAbove.current = isAbove
  }, [isAbove, drawer])
}

/** Closes the drawer with Escape, unless Escape closes a menu in it, or empties a field. */
function useCloseWithEscape(isAbove: boolean, onClose: () => void): void {
  const onKey = (event: KeyboardEvent) => {
    const { key, target } = event
    const isTyping = target instanceof HTMLInputElement && target.value !== ''
    if (key !== 'Escape' || isTyping || document.querySelector(':popover-open') !== null) return
    // Then Escape closes nothing else.
    event.preventDefault()
    onClose()
  }
  useKeys(onKey, { isOn: isAbove, isFirst: true })
}

/**
 * Opens the drawer for Ctrl+K and ⌘K, which lead to the search field in it. Does so before the field gets the same
 * event: a field in a closed drawer cannot take the focus.
 */
function useSearchShortcut(isClosed: boolean, onOpen: () => void): void {
  const onKey = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.shiftKey)
      flushSync(onOpen)
  }
  useKeys(onKey, { isOn: isClosed, isFirst: true })
}

/**
 * The first buttons of the page. They are seen only while they have the focus, and lead a person with a keyboard past
 * the list of chats. They are no links: a link would change the address.
 */
export function SkipLinks({ hasField }: { readonly hasField: boolean }) {
  const words = useWords()
  return (
    <>
      <SkipLink label={words.skipToContent} find={contentOfPage} />
      {hasField && <SkipLink label={words.skipToField} find={fieldOf} />}
    </>
  )
}

interface SkipLinkProps {
  readonly label: string
  readonly find: () => HTMLElement | null | undefined
}

function SkipLink({ label, find }: SkipLinkProps) {
  return (
    <button
      type="button"
      data-skip
      onClick={() => find()?.focus()}
      className="fixed top-2 left-2 z-50 rounded-lg bg-ink px-4 py-2 text-page not-focus:sr-only max-md:hidden"
    >
      {label}
    </button>
  )
}

/** Returns the messages of the chat. On a page without messages, returns all of the page. */
function contentOfPage(): HTMLElement | null {
  const content = document.querySelector<HTMLElement>('#messages') ?? document.querySelector('main')
  // An element that is no link, button or field takes the focus only if it has this attribute.
  if (content?.hasAttribute('tabindex') === false) content.tabIndex = -1
  return content
}

/** Returns the field for the next message. It comes after the fields in which a person edits a message. */
function fieldOf(): HTMLElement | undefined {
  return [...document.querySelectorAll('main textarea')].filter(each => each instanceof HTMLElement).at(-1)
}
