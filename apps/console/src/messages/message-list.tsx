import type { ChatError } from '@throughline/client'
import { textOf } from '@throughline/protocol'
import { memo, type ReactNode, useRef } from 'react'
import type { AgentItem } from '../agents/use-agents.ts'
import { NearContext } from '../off-screen/near-context.ts'
import { offScreenHeight, sizeUntilDrawn } from '../off-screen/off-screen-size.ts'
import { useIsNear } from '../off-screen/use-is-near.ts'
import { useIsReady } from './chat-readiness.tsx'
import { keyOf, type MessageGroup } from './group-answers.ts'
import { MessageView } from './message-view.tsx'

const groupsPerSection = 20
/** The space between two messages: `gap-3`. */
const gapPx = 12

interface Look {
  readonly agents: readonly AgentItem[]
  /** The agent of the chat. */
  readonly selectedAgent: string | undefined
  /** The messages that could not be sent, and why. */
  readonly unsent: ReadonlyMap<string, ChatError>
  /** Whether the person writes in place of the agent. Then the agent is not asked to go on. */
  readonly isReplying: boolean
}

interface Props extends Look {
  readonly groups: readonly MessageGroup[]
  /** How many messages of the chat are before these. */
  readonly offset: number
}

/**
 * Draws the messages of a chat in sections. React does not compare the messages of a section while none of them has
 * changed, and the browser skips sections that are not on the screen. So a change costs the same in a very long chat.
 */
export function MessageList({ groups, offset, ...look }: Props) {
  const sections = sectionsOf(groups, offset)
  const last = sections.at(-1)?.number ?? 0
  return sections.map(({ number, groups }) => (
    <Section key={number} groups={groups} isLast={number === last} isRecent={number >= last - 1} {...look} />
  ))
}

interface NumberedSection {
  readonly number: number
  readonly groups: readonly MessageGroup[]
}

/** A section begins at the same message, whether or not the messages before it are drawn yet. */
function sectionsOf(groups: readonly MessageGroup[], offset: number): readonly NumberedSection[] {
  const sections: NumberedSection[] = []
  for (let at = 0; at < groups.length; ) {
    const number = Math.floor((offset + at) / groupsPerSection)
    const end = (number + 1) * groupsPerSection - offset
    sections.push({ number, groups: groups.slice(at, end) })
    at = end
  }
  return sections
}

interface SectionProps extends Look {
  readonly groups: readonly MessageGroup[]
  readonly isLast: boolean
  /** Whether it is the last section or the one before it. It has the last message of the person. */
  readonly isRecent: boolean
}

const Section = memo(function Section(props: SectionProps) {
  const { groups, isLast, isRecent, isReplying, unsent, ...look } = props
  return (
    <SectionBox offScreenHeight={isLast ? undefined : heightOf(groups)} isRecent={isRecent}>
      {groups.map(group => (
        <MessageView
          key={keyOf(group)}
          group={group}
          failure={unsent.get(group.message.id)}
          isLast={isLast && !isReplying && group === groups.at(-1)}
          {...look}
        />
      ))}
    </SectionBox>
  )
}, isSameSection)

function isSameSection(before: SectionProps, after: SectionProps): boolean {
  return (
    before.isLast === after.isLast &&
    before.isRecent === after.isRecent &&
    before.isReplying === after.isReplying &&
    before.agents === after.agents &&
    before.selectedAgent === after.selectedAgent &&
    (before.unsent === after.unsent || (before.unsent.size === 0 && after.unsent.size === 0)) &&
    before.groups.length === after.groups.length &&
    before.groups.every((group, index) => group === after.groups[index])
  )
}

/** The messages of a section have the same estimate, so nothing moves when the section comes to the screen. */
function heightOf(groups: readonly MessageGroup[]): number {
  const heights = groups.map(({ message }) => offScreenHeight(textOf(message).length))
  return heights.reduce((sum, height) => sum + height + gapPx, -gapPx)
}

interface SectionBoxProps {
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
function SectionBox({ offScreenHeight, isRecent, children }: SectionBoxProps) {
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
