import { ArrowUp, Square } from 'lucide-react'
import { useState } from 'react'
import { useWords } from '../settings/settings.tsx'
import { TextField } from './text-field.tsx'

interface Props {
  readonly isBusy: boolean
  readonly placeholder: string
  readonly onSend: (text: string) => void
  readonly onStop: () => void
}

/** The field in which a person writes. While an answer is being written, its button stops the answer. */
export function Composer({ isBusy, placeholder, onSend, onStop }: Props) {
  const words = useWords()
  const [text, setText] = useState('')
  const canSend = !isBusy && text.trim() !== ''
  const send = () => {
    if (!canSend) return
    onSend(text.trim())
    setText('')
  }
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        send()
      }}
      className="mx-auto flex w-full max-w-3xl items-end gap-2 rounded-3xl border border-line bg-raised py-2 pr-2 pl-4 shadow-sm focus-within:border-accent"
    >
      <TextField
        text={text}
        label={placeholder}
        placeholder={placeholder}
        onChange={setText}
        onEnter={send}
      />
      {isBusy ? (
        <button
          type="button"
          onClick={onStop}
          aria-label={words.stop}
          title={words.stop}
          className="grid size-9 shrink-0 place-items-center rounded-full bg-ink text-page"
        >
          <Square size={14} fill="currentColor" />
        </button>
      ) : (
        <button
          type="submit"
          disabled={!canSend}
          aria-label={words.send}
          title={words.send}
          className="grid size-9 shrink-0 place-items-center rounded-full bg-accent text-page disabled:opacity-35"
        >
          <ArrowUp size={18} />
        </button>
      )}
    </form>
  )
}
