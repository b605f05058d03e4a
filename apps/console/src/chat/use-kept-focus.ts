import { type RefObject, useEffect, useLayoutEffect, useRef } from 'react'

/**
 * Gives the focus to a container when the element inside of it that has the focus goes away, as a deleted message does,
 * or the buttons of an approval. Without this, a person with a keyboard would begin again at the top of the page.
 */
export function useKeptFocus(container: RefObject<HTMLElement | null>): void {
  const last = useRef<EventTarget>(null)
  useEffect(() => {
    const box = container.current
    const onFocus = ({ target }: FocusEvent) => {
      last.current = target
    }
    box?.addEventListener('focusin', onFocus)
    return () => box?.removeEventListener('focusin', onFocus)
  }, [container])
  // After every rendering, because every rendering may remove elements.
  useLayoutEffect(() => {
    const before = last.current
    if (!(before instanceof Element) || before.isConnected) return
    last.current = null
    // Whoever has moved the focus meanwhile keeps it.
    if (document.activeElement === document.body) container.current?.focus()
  })
}
