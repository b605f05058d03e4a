import { Keyboard } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { pressShortcut } from './press-shortcut.ts'
import { ShortcutSheet } from './shortcut-sheet.tsx'
import { useShortcutWords } from './shortcut-words.ts'

/** The keyboard shortcuts of the page, and the button that shows them all. */
export function Shortcuts() {
  const words = useShortcutWords()
  const sheet = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (pressShortcut(event)) event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      <button
        type="button"
        aria-label={words.shortcuts}
        title={`${words.shortcuts} (?)`}
        data-shortcut="help"
        onClick={() => sheet.current?.showModal()}
        className="shrink-0 rounded-lg p-1 text-muted hover:bg-panel hover:text-ink pointer-coarse:hidden"
      >
        <Keyboard size={18} />
      </button>
      <ShortcutSheet ref={sheet} />
    </>
  )
}
