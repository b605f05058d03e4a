import { useEffect, useState } from 'react'
import type { MessageGroup } from './group-answers.ts'

const charsPerFrame = 16 * 1024
/** What a part costs besides its text. */
const charsPerPart = 500

/**
 * The last messages of a chat, and with every frame some more before them, until all are there: a long history is
 * drawn without holding up the page, beginning where the person looks.
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

function lastWithin(groups: readonly MessageGroup[], room: number): readonly MessageGroup[] {
  let left = room
  const first = groups.findLastIndex(group => {
    left -= sizeOf(group)
    return left <= 0
  })
  return groups.slice(Math.max(0, first))
}

function sizeOf({ message, descendants }: MessageGroup): number {
  return [message, ...descendants]
    .flatMap(({ parts }) => parts)
    .reduce((sum, part) => sum + charsPerPart + ('text' in part ? part.text.length : 0), 0)
}
