import { Menu } from 'lucide-react'
import type { ReactNode } from 'react'
import { useWords } from '../settings/settings.tsx'
import { ShortcutButton } from './shortcut-button.tsx'

interface Props {
  readonly title: string
  readonly onMenu: () => void
  /** A line below the title. */
  readonly note?: ReactNode
  /** Buttons at the right. */
  readonly children?: ReactNode
}

/** The bar at the top of every page: the button for the list of chats on a phone, and the title. */
export function PageHeader({ title, onMenu, note, children }: Props) {
  const words = useWords()
  return (
    <header className="flex items-center gap-2 border-b border-line px-4 py-2.5">
      <button
        type="button"
        id="menu-button"
        aria-label={words.menu}
        onClick={onMenu}
        className="-my-2 -ml-2.5 p-2.5 md:hidden"
      >
        <Menu size={20} />
      </button>
      <div className="min-w-0 flex-1">
        <h1 className="truncate font-medium">{title}</h1>
        {note}
      </div>
      <ShortcutButton />
      {children}
    </header>
  )
}

/** Returns the button that opens the list of chats on a phone. */
export function menuButton(): HTMLElement | null {
  return document.getElementById('menu-button')
}
