import { Menu } from 'lucide-react'
import type { ReactNode } from 'react'
import { useWords } from '../settings/settings.tsx'

interface Props {
  readonly title: string
  readonly onMenu: () => void
  /** Buttons at the right. */
  readonly children?: ReactNode
}

/** The bar at the top of every page: the button for the list of chats on a phone, and the title. */
export function PageHeader({ title, onMenu, children }: Props) {
  const words = useWords()
  return (
    <header className="flex items-center gap-2 border-b border-line px-4 py-2.5">
      <button type="button" aria-label={words.menu} onClick={onMenu} className="-ml-1 p-1 md:hidden">
        <Menu size={20} />
      </button>
      <h2 className="min-w-0 flex-1 truncate font-medium">{title}</h2>
      {children}
    </header>
  )
}
