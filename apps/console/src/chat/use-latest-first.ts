import { useEffect, useState } from 'react'
import type { MessageGroup } from './group-answers.ts'

const charsPerFrame = 16 * 1024
/** The cost of a part besides its text, as a number of characters. */
const charsPerPart = 500

/**
 * Returns the last messages of a chat, and with every animation frame some more of the earlier ones, until all are
 * there. So a long history does not block the page, and what the person looks at is drawn first.
 */
export function useLatestFirst(groups: readonly MessageGroup[]): readonly MessageGroup[] {
  const [room, setRoom] = useState(charsPerFrame)
  const shown = room === Number.POSITIVE_INFINITY ? groups : lastWithin(groups, room)
  const isWhole = shown.length === groups.length
  const isOver = room === Number.POSITIVE_INFINITY || groups.length === 0
  useEffect(() => {
    if (isOver) return
    const frame = requestAnimationFrame(() =>
      setRoom(isWhole ? Number.POSITIVE_INFINITY : room + charsPerFrame),
    )
    return () => cancelAnimationFrame(frame)
  }, [isOver, isWhole, room])
  return shown
}

/** Returns the last messages whose texts fit into so many characters, and the one before them: at least one. */
export function lastWithin(groups: readonly MessageGroup[], room: number): readonly MessageGroup[] {
  let left = room
  const first = groups.findLastIndex(group => {
    left -= sizeOf(group)
    return left <= 0
  })
  return groups.slice(Math.max(0, first))
}

function sizeOf({ message, subAgents }: MessageGroup): number {
  return [message, ...subAgents]
    .flatMap(({ parts }) => parts)
    .reduce((sum, part) => sum + charsPerPart + ('text' in part ? part.text.length : 0), 0)
}
