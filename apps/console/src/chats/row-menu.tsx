import { Ellipsis } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react'
import { useWords } from '../settings/settings.tsx'

export interface MenuAction {
  readonly label: string
  readonly icon: ReactNode
  readonly isDangerous?: boolean
  readonly onChoose: () => void
}

interface Props {
  /** What the menu is for. Said to people who do not see the row. */
  readonly title: string
  readonly actions: readonly MenuAction[]
}

/**
 * A button that opens a menu. It is a popover of the browser: it is above everything, and Escape or a press elsewhere
 * closes it and gives the focus back. The arrow keys, Home and End move between its items.
 */
export function RowMenu({ title, actions }: Props) {
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
