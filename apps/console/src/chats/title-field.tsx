import { useRef } from 'react'
import { useWords } from '../settings/settings.tsx'

interface Props {
  readonly title: string
  /** What is in the field at first. */
  readonly draft: string
  /** Whether it takes the focus: for a field that a person has just opened. */
  readonly takesFocus: boolean
  /**
   * Called once, with the new title. With the old one when the person has cancelled. `byKey` is false when the person
   * has left the field.
   */
  readonly onEnd: (title: string, byKey: boolean) => void
}

/** The field to rename a chat, in place of its row. Enter or leaving it ends it, Escape cancels. */
export function TitleField({ title, draft, takesFocus, onEnd }: Props) {
  const words = useWords()
  const hasEnded = useRef(false)
  const end = (name: string, byKey: boolean) => {
    if (hasEnded.current) return
    hasEnded.current = true
    onEnd(name.trim(), byKey)
  }
  return (
    <input
      defaultValue={draft}
      aria-label={words.rename}
      maxLength={200}
      // biome-ignore lint/a11y/noAutofocus: it takes the place of the row whose menu was just used
      autoFocus={takesFocus}
      onFocus={event => event.currentTarget.select()}
      onBlur={event => end(event.currentTarget.value, false)}
      onKeyDown={event => {
        // A key that chooses a suggestion of an input method does not end the field.
        if (event.nativeEvent.isComposing) return
        if (event.key === 'Enter') end(event.currentTarget.value, true)
        if (event.key !== 'Escape') return
        // It closes nothing else.
        event.stopPropagation()
        end(title, true)
      }}
      className="w-full rounded-lg border border-accent bg-raised px-3 py-1.5 text-base outline-none md:text-[15px]"
    />
  )
}
