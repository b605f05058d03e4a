import { type RefObject, useRef, useState } from 'react'

interface Open {
  readonly isOpen: boolean
  toggle(): void
  /** For the element that opens and closes. */
  readonly box: RefObject<HTMLElement | null>
}

/**
 * Something that is open while it goes on, and closes when it ends. The person's own choice wins, and what a person reads
 * at that moment does not close. `id` must not change.
 */
export function useOpen(id: string, goesOn: boolean): Open {
  const box = useRef<HTMLElement>(null)
  const [choice, choose] = useChoice(id)
  const [wentOn, setWentOn] = useState(goesOn)
  const [isRead, setIsRead] = useState(false)
  // Looked up before the change is drawn: afterwards it would be too late.
  if (wentOn !== goesOn) {
    setWentOn(goesOn)
    setIsRead(!goesOn && box.current !== null && isInReading(box.current))
  }
  const isOpen = choice ?? (goesOn || isRead)
  return { isOpen, toggle: () => choose(!isOpen), box }
}

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

/** Returns whether an element is on the screen of a person who has scrolled away from the end of the chat. */
function isInReading(element: Element): boolean {
  const page = element.closest('[data-reading]')?.getBoundingClientRect()
  if (page === undefined) return false
  const { top, bottom } = element.getBoundingClientRect()
  return top < page.bottom && bottom > page.top
}

/** Returns the same for the card with an id. `false` if there is no such card on the page. */
export function isCardInReading(id: string): boolean {
  const card = document.querySelector(`[data-reading] [data-card="${CSS.escape(id)}"]`)
  return card !== null && isInReading(card)
}
