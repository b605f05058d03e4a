import { type KeyboardEvent, useLayoutEffect, useRef } from 'react'

interface Props {
  readonly text: string
  readonly label: string
  readonly placeholder?: string
  /** It takes the place of what was just pressed: a person who opened it goes on typing. */
  readonly takesFocus?: boolean
  readonly onChange: (text: string) => void
  readonly onEnter: () => void
  readonly onEscape?: () => void
}

/** Where a person writes: as high as its text, up to a third of the page. Enter is done, Shift+Enter a new line. */
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
    if (isChoosing(event)) return
    if (event.key === 'Escape') on.onEscape?.()
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
 * The key belongs to the choice of a character, as in Chinese: Enter that ends it is not meant to send. In Safari the
 * choice has ended by then, and only the old key code still tells.
 */
function isChoosing({ nativeEvent }: KeyboardEvent): boolean {
  return nativeEvent.isComposing || nativeEvent.keyCode === 229
}
