import { Keyboard } from 'lucide-react'
import { Suspense, useState } from 'react'
import { lazyPart } from '../lazy-part.ts'
import { useWords } from '../settings/settings.tsx'
import { useKeys } from '../use-keys.ts'
import { typesLetter } from './types-letter.ts'

// Loaded when a person asks for it.
const ShortcutSheet = lazyPart(async () => (await import('../shortcuts/shortcut-sheet.tsx')).ShortcutSheet)

/** The button that lists the keyboard shortcuts. It also listens for them. */
export function ShortcutButton() {
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
  const loading = import('../shortcuts/press-shortcut.ts')
  loading.then(({ pressShortcut }) => pressShortcut(event)).catch(() => undefined)
}
