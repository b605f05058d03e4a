import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { useIsReady } from '../chat-readiness.tsx'

interface Props {
  /** The estimated height in pixels while the section is off the screen; `undefined` if it is always laid out. */
  readonly offScreenHeight: number | undefined
  readonly children: ReactNode
}

/**
 * The box of a section of messages. While no message can be sent, it has the attribute `data-busy`, which hides what is
 * `WhenReady`. Only sections near the screen get it: if all sections of a long chat changed at once, the browser would
 * look at every element in them.
 */
export function SectionBox({ offScreenHeight, children }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const isReady = useIsReady(useIsNear(box))
  const isSkipped = offScreenHeight !== undefined
  return (
    <div
      ref={box}
      data-busy={isReady ? undefined : ''}
      className={`flex flex-col gap-3 ${isSkipped ? 'off-screen' : ''}`}
      style={isSkipped ? { containIntrinsicBlockSize: `auto ${offScreenHeight}px` } : {}}
    >
      {children}
    </div>
  )
}

/** Returns whether an element is on the screen, or less than a screen away from it. It is until the browser knows better. */
function useIsNear(element: RefObject<Element | null>): boolean {
  const [isNear, setIsNear] = useState(true)
  useEffect(() => {
    if (element.current === null) return
    const root = element.current.closest('#messages')
    const watch = new IntersectionObserver(entries => setIsNear(entries.at(-1)?.isIntersecting ?? false), {
      root,
      rootMargin: '100% 0px',
    })
    watch.observe(element.current)
    return () => watch.disconnect()
  }, [element])
  return isNear
}
