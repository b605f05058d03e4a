import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

const nearPx = 80

interface Stick {
  readonly scroller: RefObject<HTMLDivElement | null>
  readonly isAtEnd: boolean
  toEnd(): void
}

/** Keeps the newest text in view, until the person scrolls away; then leaves them where they are. */
export function useStickToEnd(content: unknown): Stick {
  const scroller = useRef<HTMLDivElement>(null)
  const sticks = useRef(true)
  const [isAtEnd, setIsAtEnd] = useState(true)

  const toEnd = useCallback(() => {
    sticks.current = true
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight })
  }, [])

  useEffect(() => {
    const box = scroller.current
    if (box === null) return
    const onScroll = () => {
      sticks.current = box.scrollHeight - box.scrollTop - box.clientHeight < nearPx
      setIsAtEnd(sticks.current)
    }
    box.addEventListener('scroll', onScroll, { passive: true })
    return () => box.removeEventListener('scroll', onScroll)
  }, [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: new content is what may have to be scrolled to
  useLayoutEffect(() => {
    if (sticks.current) toEnd()
  }, [content, toEnd])

  return { scroller, isAtEnd, toEnd }
}
