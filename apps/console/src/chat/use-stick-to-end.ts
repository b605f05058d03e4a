import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'

const nearPx = 80

export interface Stick {
  readonly scroller: RefObject<HTMLElement | null>
  readonly content: RefObject<HTMLDivElement | null>
  readonly isAtEnd: boolean
  toEnd(): void
}

/** Keeps the newest text in view, until the person scrolls away from the end. Then it keeps what they read in its place. */
export function useStickToEnd(): Stick {
  const scroller = useRef<HTMLElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const sticks = useRef(true)
  const lastTop = useRef(0)
  const [isAtEnd, setIsAtEnd] = useState(true)

  const toEnd = useCallback(() => {
    const box = scroller.current
    if (box === null) return
    sticks.current = true
    box.scrollTo({ top: box.scrollHeight })
    lastTop.current = box.scrollTop
  }, [])

  useEffect(() => {
    const box = scroller.current
    const inner = content.current
    if (box === null || inner === null) return
    const onScroll = () => {
      const isNear = box.scrollHeight - box.scrollTop - box.clientHeight < nearPx
      // New text can move the end away from us. That does not count: only a person scrolls up.
      if (isNear) sticks.current = true
      else if (box.scrollTop < lastTop.current) sticks.current = false
      lastTop.current = box.scrollTop
      setIsAtEnd(sticks.current)
    }
    box.addEventListener('scroll', onScroll, { passive: true })
    // The observer is called between layout and paint. Reading the height here does not cause another layout.
    let boxTop = box.getBoundingClientRect().top
    const watch = new ResizeObserver(() => {
      const moved = box.getBoundingClientRect().top - boxTop
      boxTop += moved
      if (sticks.current) toEnd()
      // A line above the chat has come or gone, and has moved the box. The text in it stays where it is.
      else if (moved !== 0) box.scrollTop += moved
    })
    watch.observe(inner)
    watch.observe(box)
    return () => {
      box.removeEventListener('scroll', onScroll)
      watch.disconnect()
    }
  }, [toEnd])

  return { scroller, content, isAtEnd, toEnd }
}
