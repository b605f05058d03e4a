import { type KeyboardEvent, useLayoutEffect, useRef } from 'react'

interface Props {
  readonly text: string
  readonly label: string
  readonly placeholder?: string
  /** Whether it takes the focus: for a field that a person has just opened to type in. */
  readonly takesFocus?: boolean
  readonly onChange: (text: string) => void
  readonly onEnter: () => void
  readonly onEscape?: () => void
}

/** A field for text. It grows with its text, up to a third of the page. Shift+Enter starts a new line. */
export function TextField({ text, label, placeholder, takesFocus = false, ...on }: Props) {
  const field = useRef<HTMLTextAreaElement>(null)

  useLayoutEffect(() => {
    const area = field.current
    if (area === null) return
    area.style.height = 'auto'
    if (text !== '') area.style.height = `${area.scrollHeight}px`
  }, [text])

  useLayoutEffect(() => {
    const area = field.current
    if (!takesFocus || area === null) return
    area.focus()
    area.setSelectionRange(area.value.length, area.value.length)
  }, [takesFocus])

  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return
    if (event.key === 'Escape' && on.onEscape !== undefined) {
      // Then Escape closes nothing else.
      event.preventDefault()
      on.onEscape()
    }
    if (event.key !== 'Enter' || event.shiftKey) return
    event.preventDefault()
    on.onEnter()
  }
  return (
    <textarea
      ref={field}
      value={text}
      rows={1}
      aria-label={label}
      placeholder={placeholder}
      onChange={event => on.onChange(event.target.value)}
      onKeyDown={onKeyDown}
      className="max-h-[33vh] min-w-0 flex-1 resize-none bg-transparent py-1.5 outline-none placeholder:text-muted"
    />
  )
}

/**
 * Returns whether a person composes a character, as in Chinese. Then Enter ends the composition and does not send. In
 * Safari the composition has ended by then, and only the old key code 229 tells.
 */
function isComposing({ nativeEvent }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || nativeEvent.keyCode === 229
}
