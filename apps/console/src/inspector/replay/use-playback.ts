import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { indexAt } from './play-times.ts'

interface Playback {
  readonly isPlaying: boolean
  readonly speed: number
  setSpeed(speed: number): void
  play(): void
  pause(): void
}

interface Options {
  /** When each entry is played, in milliseconds. */
  readonly times: readonly number[]
  /** The index of the entry that is shown now. */
  readonly index: number
  readonly onIndex: (index: number) => void
}

/** Moves through a log at the speed at which it was written, or several times as fast. Stops at its end. */
export function usePlayback({ times, index, onIndex }: Options): Playback {
  const [isPlaying, setIsPlaying] = useState(false)
  const [speed, setSpeed] = useState(1)
  // The time that was played when an entry was shown. Entries are shown late, at the next animation frame, and what is
  // late must not add up.
  const played = useRef({ index: -1, ms: 0 })
  const playOn = useEffectEvent((passedMs: number) => {
    const { current: before } = played
    const ms = (before.index === index ? before.ms : (times[index] ?? 0)) + passedMs * speed
    const found = Math.max(index, indexAt(times, ms))
    played.current = { index: found, ms }
    if (found !== index) onIndex(found)
  })
  useEffect(() => {
    if (!isPlaying) return
    let before: number | undefined
    let request = requestAnimationFrame(function next(now) {
      playOn(now - (before ?? now))
      before = now
      request = requestAnimationFrame(next)
    })
    return () => cancelAnimationFrame(request)
  }, [isPlaying])

  const isAtEnd = index >= times.length - 1
  useEffect(() => {
    if (isAtEnd) setIsPlaying(false)
  }, [isAtEnd])
  return {
    isPlaying,
    speed,
    setSpeed,
    play() {
      // From the beginning again after the end.
      if (isAtEnd) onIndex(0)
      setIsPlaying(true)
    },
    pause: () => setIsPlaying(false),
  }
}
