import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { useIsReady } from '../chat-readiness.tsx'
import { NearContext } from '../near-context.ts'

interface Props {
  /** The estimated height in pixels while the section is off the screen; `undefined` if it is always laid out. */
  readonly offScreenHeight: number | undefined
  /** Whether the buttons of its messages are there from the beginning, and stay. */
  readonly isRecent: boolean
  readonly children: ReactNode
}

/**
 * The box of a section of messages. While no message can be sent, it has the attribute `data-busy`, which hides what is
 * `WhenReady`. Only sections near the screen get it: if all sections of a long chat changed at once, the browser would
 * look at every element in them. And only they have the buttons of their messages, which are most of a chat's elements.
 */
export function SectionBox({ offScreenHeight, isRecent, children }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const isNear = useIsNear(box, isRecent)
  const isReady = useIsReady(isNear)
  const isSkipped = offScreenHeight !== undefined
  return (
    <div
      ref={box}
      data-busy={isReady ? undefined : ''}
      className={`flex flex-col gap-3 ${isSkipped ? 'off-screen' : ''}`}
      style={isSkipped ? { containIntrinsicBlockSize: `auto ${offScreenHeight}px` } : {}}
    >
      <NearContext value={isNear || isRecent}>{children}</NearContext>
    </div>
  )
}

/**
 * Returns whether an element is on the screen, or less than a screen away from it; `first` until the browser knows. What
 * has the focus stays near.
 */
function useIsNear(element: RefObject<Element | null>, first: boolean): boolean {
  const [isNear, setIsNear] = useState(first)
  useEffect(() => {
    const box = element.current
    if (box === null) return
    const onChange = (entries: readonly IntersectionObserverEntry[]) =>
      setIsNear(entries.at(-1)?.isIntersecting === true || box.contains(document.activeElement))
    const root = box.closest('#messages')
    const watch = new IntersectionObserver(onChange, { root, rootMargin: '100% 0px' })
    watch.observe(box)
    return () => watch.disconnect()
  }, [element])
  return isNear
}
