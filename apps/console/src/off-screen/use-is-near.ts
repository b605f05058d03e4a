import { type RefObject, startTransition, useLayoutEffect, useState } from 'react'

/** How long the browser must have drawn an element until it counts as near. What only rushes past stays as it is. */
const minDrawnMs = 100

const changed = 'contentvisibilityautostatechange'
const saysIt = `on${changed}` in document.documentElement

/**
 * Returns whether the browser draws an element that has `content-visibility: auto`: it is on the screen or less than two
 * screens away, or it has the focus or the selection. Returns `first` until the browser has decided, and always true in a
 * browser that does not say it.
 */
export function useIsNear(element: RefObject<Element | null>, first: boolean): boolean {
  const [isNear, setIsNear] = useState(first || !saysIt)
  // A layout effect, because the browser decides for the first time right after it.
  useLayoutEffect(() => {
    const box = element.current
    let timer: ReturnType<typeof setTimeout> | undefined
    // A transition: it can wait until the page has nothing else to draw, and React draws it in short tasks.
    const change = (next: boolean) => startTransition(() => setIsNear(next))
    const onChange = (event: Event) => {
      // The event bubbles: elements inside may have the same style.
      if (event.target !== box || !('skipped' in event)) return
      clearTimeout(timer)
      if (event.skipped) change(false)
      else timer = setTimeout(change, minDrawnMs, true)
    }
    box?.addEventListener(changed, onChange)
    return () => {
      box?.removeEventListener(changed, onChange)
      clearTimeout(timer)
    }
  }, [element])
  return isNear
}
