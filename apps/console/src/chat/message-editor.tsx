import { useState } from 'react'
import { useIsReady } from '../chat-readiness.tsx'
import { useWords } from '../settings/settings.tsx'
import { TextField } from '../text-field.tsx'

interface Props {
  readonly text: string
  readonly onSend: (text: string) => void
  readonly onCancel: () => void
}

/** The field in which a person edits a message that was sent. */
export function MessageEditor({ text: before, onSend, onCancel }: Props) {
  const words = useWords()
  const isReady = useIsReady()
  const [text, setText] = useState(before)
  const canSend = isReady && text.trim() !== ''
  const send = () => {
    if (canSend) onSend(text.trim())
  }
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        send()
      }}
      className="mb-3 w-full rounded-2xl border border-line bg-raised px-4 pt-1.5 pb-2.5 shadow-sm focus-within:border-accent"
    >
      <div className="flex">
        <TextField
          text={text}
          label={words.editMessage}
          takesFocus
          onChange={setText}
          onEnter={send}
          onEscape={onCancel}
        />
      </div>
      <div className="mt-1 flex justify-end gap-2 text-sm">
        <button
          type="button"
          onClick={onCancel}
          className="rounded-full border border-line px-4 py-1 hover:border-accent"
        >
          {words.cancel}
        </button>
        <button
          type="submit"
          disabled={!canSend}
          className="rounded-full bg-accent px-4 py-1 text-page disabled:opacity-35"
        >
          {words.send}
        </button>
      </div>
    </form>
  )
}
