import { ArrowUp, Square } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useWords } from '../settings/settings.tsx'

interface Props {
  readonly isBusy: boolean
  readonly onSend: (text: string) => void
  readonly onStop: () => void
}

/** Where a person writes. While an answer is being made, its button stops it. */
export function Composer({ isBusy, onSend, onStop }: Props) {
  const words = useWords()
  const [text, setText] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const canSend = !isBusy && text.trim() !== ''

  useEffect(() => {
    const area = field.current
    if (area === null) return
    area.style.height = 'auto'
    // The text decides the height, up to a third of the page.
    if (text !== '') area.style.height = `${area.scrollHeight}px`
  }, [text])

  const send = () => {
    if (!canSend) return
    onSend(text.trim())
    setText('')
  }
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter that ends the choice of a Chinese character is not meant to send.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }

  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        send()
      }}
      className="mx-auto flex w-full max-w-3xl items-end gap-2 rounded-3xl border border-line bg-raised py-2 pr-2 pl-4 shadow-sm focus-within:border-accent"
    >
      <textarea
        ref={field}
        value={text}
        rows={1}
        aria-label={words.placeholder}
        placeholder={words.placeholder}
        onChange={event => setText(event.target.value)}
        onKeyDown={onKeyDown}
        className="max-h-[33vh] min-w-0 flex-1 resize-none bg-transparent py-1.5 outline-none placeholder:text-muted"
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
