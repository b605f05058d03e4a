import { type FormEvent, type KeyboardEvent, useState } from 'react'

interface ComposerProps {
  isBusy: boolean
  onSend(text: string): unknown
  onStop(): unknown
}

/** Where a person writes. Enter sends, Shift and Enter make a new line. */
export function Composer({ isBusy, onSend, onStop }: ComposerProps) {
  const [text, setText] = useState('')

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() === '' || isBusy) return
    onSend(text)
    setText('')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // While somebody composes a Chinese or Japanese word, Enter chooses the word.
    if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) submit(event)
  }

  return (
    <form className="composer" onSubmit={submit}>
      <textarea
        aria-label="Message"
        placeholder="Write a message"
        rows={1}
        value={text}
        onChange={event => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {isBusy ? (
        <button type="button" onClick={() => onStop()}>
          Stop
        </button>
      ) : (
        <button type="submit" disabled={text.trim() === ''}>
          Send
        </button>
      )}
    </form>
  )
}
