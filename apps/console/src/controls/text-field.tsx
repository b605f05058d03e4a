import { type ClipboardEvent, type KeyboardEvent, useEffect, useLayoutEffect, useRef } from 'react'

interface Props {
  readonly text: string
  readonly label: string
  readonly placeholder?: string
  /** Whether it takes the focus when it is shown. */
  readonly takesFocus?: boolean
  /** The name under which a keyboard shortcut finds it. */
  readonly shortcut?: string
  readonly onChange: (text: string) => void
  /** `isWithCtrl`: the person pressed Ctrl+Enter or ⌘+Enter. */
  readonly onEnter: (isWithCtrl: boolean) => void
  readonly onEscape?: () => void
  /** Called before the field handles a key itself. Returns whether the key is handled. */
  readonly onKey?: (event: KeyboardEvent) => boolean
  readonly onPaste?: (event: ClipboardEvent) => void
}

/**
 * A field for text. It grows with its text, up to a third of the page. Shift+Enter starts a new line. On a touch screen,
 * where there is no Shift+Enter, Enter does so too.
 */
export function TextField({ text, label, placeholder, takesFocus = false, shortcut, ...on }: Props) {
  const field = useRef<HTMLTextAreaElement>(null)

  useLayoutEffect(() => {
    const area = field.current
    if (area === null) return
    area.style.height = 'auto'
    if (text !== '') area.style.height = `${area.scrollHeight}px`
  }, [text])

  // Not a layout effect: to take the focus, the browser lays out the page, and that needs not be in the task that draws it.
  useEffect(() => {
    const area = field.current
    if (!takesFocus || area === null) return
    area.focus()
    area.setSelectionRange(area.value.length, area.value.length)
  }, [takesFocus])

  const onKeyDown = (event: KeyboardEvent) => {
    if (isComposing(event)) return
    if (on.onKey?.(event)) return event.preventDefault()
    if (event.key === 'Escape' && on.onEscape !== undefined) {
      // Then Escape closes nothing else.
      event.preventDefault()
      on.onEscape()
    }
    const isWithCtrl = event.ctrlKey || event.metaKey
    if (event.key !== 'Enter' || event.shiftKey || (isTouch() && !isWithCtrl)) return
    event.preventDefault()
    on.onEnter(isWithCtrl)
  }
  return (
    <textarea
      ref={field}
      value={text}
      rows={1}
      dir="auto"
      aria-label={label}
      placeholder={placeholder}
      data-shortcut={shortcut}
      onChange={event => on.onChange(event.target.value)}
      onKeyDown={onKeyDown}
      onPaste={on.onPaste}
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

/** Returns whether the person touches the screen. Then Enter makes a new line, and the page does not open the keyboard. */
export function isTouch(): boolean {
  return matchMedia('(pointer: coarse)').matches
}
