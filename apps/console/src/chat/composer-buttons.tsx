import { ArrowUp, Paperclip, Square } from 'lucide-react'
import { useRef } from 'react'
import { useWords } from '../settings/settings.tsx'

const round = 'grid size-10 shrink-0 place-items-center rounded-full md:size-9'

export function StopButton({ onStop }: { readonly onStop: () => void }) {
  const words = useWords()
  return (
    <button
      type="button"
      onClick={onStop}
      aria-label={words.stop}
      title={words.stop}
      data-shortcut="stop"
      className={`${round} bg-ink text-page`}
    >
      <Square size={14} fill="currentColor" />
    </button>
  )
}

export function SendButton({ canSend }: { readonly canSend: boolean }) {
  const words = useWords()
  return (
    <button
      type="submit"
      disabled={!canSend}
      aria-label={words.send}
      title={words.send}
      className={`${round} bg-accent text-page disabled:opacity-35`}
    >
      <ArrowUp size={18} />
    </button>
  )
}

/** Lets a person choose files of their machine. */
export function AttachButton({ onPick }: { readonly onPick: (files: Iterable<File>) => void }) {
  const words = useWords()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button
        type="button"
        aria-label={words.attach}
        title={words.attach}
        onClick={() => input.current?.click()}
        className={`${round} text-muted hover:bg-panel hover:text-ink`}
      >
        <Paperclip size={18} />
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        onChange={({ target }) => {
          onPick(target.files ?? [])
          // So the same file can be chosen again.
          target.value = ''
        }}
      />
    </>
  )
}
