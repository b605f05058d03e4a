import { useCallback, useEffect, useState } from 'react'

/** How long the note is shown, in milliseconds. */
const shownMs = 6_000

/** Returns whether something that the person asked for did not work a short time ago, and a function that says so. */
export function useFailureNote(): { readonly isShown: boolean; show(): void } {
  // Counted, so that a second failure shows the note for as long again.
  const [failures, setFailures] = useState(0)
  const [isShown, setIsShown] = useState(false)
  useEffect(() => {
    if (failures === 0) return
    setIsShown(true)
    const timer = setTimeout(() => setIsShown(false), shownMs)
    return () => clearTimeout(timer)
  }, [failures])
  return { isShown, show: useCallback(() => setFailures(count => count + 1), []) }
}
