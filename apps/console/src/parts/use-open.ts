import { type RefObject, useRef, useState } from 'react'
import { isInReading } from './in-reading.ts'
import { useChoice } from './use-choice.ts'

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
