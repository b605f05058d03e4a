import { type ReactNode, useRef } from 'react'
import { useIsReady } from '../chat-readiness.tsx'
import { NearContext } from '../off-screen/near-context.ts'
import { sizeUntilDrawn } from '../off-screen/off-screen-size.ts'
import { useIsNear } from '../off-screen/use-is-near.ts'

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
      style={isSkipped ? sizeUntilDrawn(offScreenHeight) : {}}
    >
      <NearContext value={isNear || isRecent}>{children}</NearContext>
    </div>
  )
}
