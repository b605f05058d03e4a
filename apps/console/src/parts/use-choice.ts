import { useState } from 'react'

const prefix = 'throughline.open '

/**
 * Returns whether the person has opened or closed something (`undefined`: neither), and a function that keeps a new
 * choice. The choice is kept for the session, so it is the same after a reload. `id` must not change.
 */
export function useChoice(id: string): readonly [boolean | undefined, (isOpen: boolean) => void] {
  const [choice, setChoice] = useState(() => choiceOf(id))
  const choose = (isOpen: boolean) => {
    sessionStorage.setItem(prefix + id, isOpen ? 'open' : 'closed')
    setChoice(isOpen)
  }
  return [choice, choose]
}

/** Returns the choice that was kept; `undefined` when the person has made none. */
export function choiceOf(id: string): boolean | undefined {
  const kept = sessionStorage.getItem(prefix + id)
  return kept === null ? undefined : kept === 'open'
}
