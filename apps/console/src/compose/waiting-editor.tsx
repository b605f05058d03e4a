import type { Message } from '@throughline/client'
import { isFilePart, textOf } from '@throughline/protocol'
import { useEffect, useRef, useState } from 'react'
import { TextField } from '../text-field.tsx'
import { useComposeWords } from './compose-words.ts'

/** What became of a text: it is saved, it is in the field below because the message does not wait any more, or neither. */
export type Saved = 'saved' | 'moved' | 'failed'

interface Props {
  readonly message: Message
  /** Whether the message is on its way to the queue of the server. Until it is there, it cannot be changed. */
  readonly isSending: boolean
  readonly onSave: (text: string) => Promise<Saved>
  /** Closes the editor. `isMoved`: what was typed is in the field below now, and the focus too. */
  readonly onClose: (isMoved: boolean) => void
  /** Gets what the person has typed, when the editor goes away without being asked to: another chat is shown. */
  readonly onLeft: (text: string) => void
}

/** The field in which a person edits a message that waits, in its place. */
export function WaitingEditor({ message, isSending, onSave, onClose, onLeft }: Props) {
  const words = useComposeWords()
  const before = textOf(message)
  const [text, setText] = useState(before)
  const [isSaving, setIsSaving] = useState(false)
  const hasFiles = message.parts.some(isFilePart)
  const canSave = !isSending && !isSaving && (text.trim() !== '' || hasFiles)
  const unsaved = useUnsaved(onLeft)
  unsaved.current = text.trim() === before.trim() ? '' : text

  const close = (isMoved = false) => {
    unsaved.current = ''
    onClose(isMoved)
  }
  const save = async () => {
    if (!canSave) return
    if (text.trim() === before.trim()) return close()
    setIsSaving(true)
    const saved = await onSave(text.trim())
    setIsSaving(false)
    if (saved !== 'failed') close(saved === 'moved')
  }
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        void save()
      }}
      className="min-w-0 flex-1 rounded-xl border border-line bg-raised px-2.5 py-1 focus-within:border-accent"
    >
      <div className="flex">
        <TextField
          text={text}
          label={words.editWaiting}
          takesFocus
          // What is typed while it is saved would be lost.
          onChange={next => !isSaving && setText(next)}
          onEnter={save}
          onEscape={() => close()}
        />
      </div>
      <div className="mt-1 mb-0.5 flex justify-end gap-2">
        <button
          type="button"
          onClick={() => close()}
          className="rounded-full border border-line px-3 py-0.5 hover:border-accent pointer-coarse:py-1.5"
        >
          {words.cancel}
        </button>
        <button
          type="submit"
          aria-disabled={!canSave}
          className="rounded-full bg-accent px-3 py-0.5 text-page aria-disabled:opacity-35 pointer-coarse:py-1.5"
        >
          {words.save}
        </button>
      </div>
    </form>
  )
}

/** Holds what is typed and not saved. Hands it over when the editor goes away with it. */
function useUnsaved(onLeft: (text: string) => void) {
  const unsaved = useRef('')
  const leave = useRef(onLeft)
  leave.current = onLeft
  useEffect(
    () => () => {
      if (unsaved.current.trim() !== '') leave.current(unsaved.current)
    },
    [],
  )
  return unsaved
}
