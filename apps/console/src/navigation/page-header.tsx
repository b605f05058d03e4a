import { Keyboard, Menu } from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import { typesLetter, useKeys } from '../browser/use-keys.ts'
import { lazyPart } from '../controls/lazy-part.ts'
import { useWords } from '../settings/settings.tsx'

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

// Loaded when a person asks for it.
const ShortcutSheet = lazyPart(async () => (await import('./shortcut-sheet.tsx')).ShortcutSheet)

/** The button that lists the keyboard shortcuts. It also listens for them. */
function ShortcutButton() {
  const words = useWords()
  const [isOpen, setIsOpen] = useState(false)
  useKeys(onKey)
  return (
    <>
      <button
        type="button"
        aria-label={words.shortcuts}
        title={`${words.shortcuts} (?)`}
        data-shortcut="help"
        onClick={() => setIsOpen(true)}
        className="shrink-0 rounded-lg p-1 text-muted hover:bg-panel hover:text-ink pointer-coarse:hidden"
      >
        <Keyboard size={18} />
      </button>
      {isOpen && (
        <Suspense>
          <ShortcutSheet onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  )
}

function onKey(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey) return
  const isWithAlt = event.altKey && /^(Key[NSM]|Arrow(Up|Down))$/.test(event.code)
  if (!isWithAlt && event.key !== '?') return
  if (typesLetter(event)) return
  // With Alt, some keyboards type another letter. When the code is loaded, it is too late to prevent that.
  if (isWithAlt) event.preventDefault()
  const loading = import('./press-shortcut.ts')
  loading.then(({ pressShortcut }) => pressShortcut(event)).catch(() => undefined)
}
