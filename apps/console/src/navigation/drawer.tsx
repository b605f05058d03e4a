import { type ReactNode, useLayoutEffect, useRef } from 'react'
import { flushSync } from 'react-dom'
import { useWords } from '../settings/settings.tsx'
import { useKeys } from '../use-keys.ts'
import { useMedia } from '../use-media.ts'
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
