import { memoizeByIdentity } from '@throughline/protocol/internal'
import { useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { MessageGroup } from './group-answers.ts'

/** About as much as fills a screen. Few, because the browser has not compiled the code that draws them yet. */
const firstChars = 6 * 1024
const charsPerFrame = 8 * 1024
/** The cost of a part besides its text, as a number of characters. */
const charsPerPart = 500

/**
 * Returns the last messages of a chat, and with every animation frame some more of the earlier ones, until all are
 * there. So a long history does not block the page, and what the person looks at is drawn first.
 */
export function useLatestFirst(groups: readonly MessageGroup[]): readonly MessageGroup[] {
  // The index of the first message that is drawn. Messages that come later are added behind it.
  const [first, setFirst] = useState(Number.POSITIVE_INFINITY)
  const latest = useRef(groups)
  latest.current = groups
  const isOver = first === 0 || groups.length === 0
  useEffect(() => {
    if (isOver) return
    const frame = requestAnimationFrame(() => {
      const shown = firstShown(latest.current, first)
      const next = shown - lastWithin(latest.current.slice(0, shown), charsPerFrame).length
      // Drawn in this frame, not after it. Otherwise the next frame would begin with messages that have no place yet, and it
      // would look as if the person had not scrolled.
      flushSync(() => setFirst(next))
    })
    return () => cancelAnimationFrame(frame)
  }, [isOver, first])
  return first === 0 ? groups : groups.slice(firstShown(groups, first))
}

/** There may be fewer messages than before: on another branch, or when some were deleted. The last ones are always drawn. */
function firstShown(groups: readonly MessageGroup[], first: number): number {
  return Math.min(first, groups.length - lastWithin(groups, firstChars).length)
}

/** Returns the last messages whose texts have at most `room` characters, and the one before them: at least one. */
export function lastWithin(groups: readonly MessageGroup[], room: number): readonly MessageGroup[] {
  let left = room
  const first = groups.findLastIndex(group => {
    left -= sizeOf(group)
    return left <= 0
  })
  return groups.slice(Math.max(0, first))
}

const sizeOf = memoizeByIdentity(({ message, subAgents }: MessageGroup): number =>
  [message, ...subAgents]
    .flatMap(({ parts }) => parts)
    .reduce((sum, part) => sum + charsPerPart + ('text' in part ? part.text.length : 0), 0),
)
