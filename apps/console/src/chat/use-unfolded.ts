import { useEffect, useRef } from 'react'
import type { PlacedPart } from '../parts/group-parts.ts'
import { isCardInReading } from '../parts/in-reading.ts'

type Group = readonly PlacedPart[]

/**
 * Returns whether a run of tool calls stays as it is. It does when the person looks at one of its cards at the moment in which
 * the run becomes long enough to be folded: what a person reads does not go away.
 */
export function useUnfolded(messageId: string): (run: Group) => boolean {
  // Before a message is drawn, none of its cards are on the page, and nobody has to look for them.
  const isDrawn = useRef(false)
  useEffect(() => {
    isDrawn.current = true
  }, [])
  // By the index of the first part of the run. Decided once, before the run is drawn.
  const decided = useRef(new Map<number, boolean>())
  return run => {
    const start = run[0]?.index ?? 0
    const stays =
      decided.current.get(start) ??
      (isDrawn.current && run.some(({ index }) => isCardInReading(`${messageId} ${index}`)))
    decided.current.set(start, stays)
    return stays
  }
}
