import { type RefObject, useEffect, useRef } from 'react'

/**
 * Moves the focus to an element of a panel when the panel opens, and again when it shows something else: another
 * `shown`. Moves it back to where it was when the panel closes, or to the messages when that place is gone.
 */
export function useFocusInside<Inside extends HTMLElement>(shown: unknown): RefObject<Inside | null> {
  const inside = useRef<Inside>(null)
  const before = useRef<Element>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: when something else is shown, the focus moves again.
  useEffect(() => {
    before.current ??= document.activeElement
    inside.current?.focus()
  }, [shown])
  useEffect(
    () => () => {
      const last = before.current
      if (last instanceof HTMLElement && last !== document.body && last.isConnected) last.focus()
      else document.getElementById('messages')?.focus()
    },
    [],
  )
  return inside
}
