import {
  awaitedOutputs,
  isRecord,
  isToolPart,
  type Message,
  type ToolPart,
  toolInput,
} from '@throughline/protocol'
import { Bot } from 'lucide-react'
import { type ReactNode, useEffect, useMemo, useRef } from 'react'
import { ServerSentence } from '../errors/server-sentence.tsx'
import { Card, CardNote } from '../parts/card.tsx'
import { groupParts, type PlacedPart } from '../parts/group-parts.ts'
import { PartView, ToolRun } from '../parts/part-view.tsx'
import {
  delegationRefusal,
  isBeingWritten,
  isDelegation,
  isGoingOn,
  type Stage,
  stageOfDelegation,
} from '../parts/stage.ts'
import { stepsOf } from '../parts/steps.ts'
import { PictureStrip } from '../parts/tool-pictures.tsx'
import { isCardInReading, useOpen } from '../parts/use-open.ts'
import { WithSources } from '../parts/with-sources.tsx'
import { useWords } from '../settings/settings.tsx'
import { EmptyNote } from './answer-footer.tsx'
import { startedBy, workOf } from './group-answers.ts'

interface Props {
  readonly message: Message
  /** The messages of all sub-agents below this message, at any depth. */
  readonly subAgents: readonly Message[]
}

/** Draws the parts of a message in order. A call to a sub-agent is drawn with that sub-agent's message inside. */
export function PartList({ message, subAgents }: Props) {
  const steps = useMemo(() => stepsOf(message), [message])
  const isWritten = isBeingWritten(message)
  const staysUnfolded = useUnfolded(message.id)
  const draw = ({ part, index }: PlacedPart) => {
    const id = `${message.id} ${index}`
    if (!isToolPart(part)) return <PartView key={id} id={id} part={part} isLive={isWritten} />
    const started = startedBy(message.id, part, subAgents)
    if (started === undefined && !isDelegation(part))
      return <PartView key={id} id={id} part={part} step={steps.get(part.toolCallId)} isLive={isWritten} />
    return (
      <SubAgentCard
        key={id}
        id={id}
        part={part}
        message={started}
        subAgents={subAgents}
        isCallerLive={isWritten}
      >
        {started !== undefined && (
          <WithSources message={started}>
            <PartList message={started} subAgents={subAgents} />
          </WithSources>
        )}
      </SubAgentCard>
    )
  }
  return groupParts(message.parts).flatMap(group => {
    const [first] = group
    if (first === undefined) return []
    if (group.length === 1 || staysUnfolded(group)) return group.map(draw)
    return (
      <ToolRun
        key={`${message.id} ${first.index}`}
        messageId={message.id}
        placed={group}
        steps={steps}
        isLive={isWritten}
      />
    )
  })
}

interface CardProps {
  /** Names the call among all calls of all chats. */
  readonly id: string
  readonly part: ToolPart
  /** The sub-agent's message, if it has begun. The tool's result has the same text, so it is not shown. */
  readonly message: Message | undefined
  /** The messages of all sub-agents of the answer. */
  readonly subAgents: readonly Message[]
  /** Whether the message with the call is still being written. */
  readonly isCallerLive: boolean
  /** The parts of the sub-agent's message. They are drawn only while the card is open. */
  readonly children: ReactNode
}

/** A call to a sub-agent, with its work inside: open while it works, then closed, unless the person has chosen. */
function SubAgentCard({ id, part, message, subAgents, isCallerLive, children }: CardProps) {
  const words = useWords()
  const { agent, senderName } = message?.metadata ?? {}
  const work = message === undefined ? [] : workOf(message, subAgents)
  const stage = withWaiting(stageOfDelegation(part, message, isCallerLive), work)
  const { isOpen, toggle, box } = useOpen(id, isGoingOn(stage))
  const name = senderName || agent?.displayName || (isGoingOn(stage) ? '' : inputField(part, 'name'))
  return (
    <Card
      id={id}
      ref={box}
      stage={stage}
      name={name || words.agent}
      title={<AgentChip name={name} />}
      summary={inputField(part, 'task')}
      isOpen={isOpen}
      onToggle={toggle}
      agent={agent}
    >
      {message === undefined && !isGoingOn(stage) && (
        <CardNote stage={stage} text={delegationRefusal(part)?.message ?? part.errorText ?? ''} />
      )}
      {isOpen && message !== undefined && (
        <div className="space-y-3 border-t border-line p-3">
          {children}
          <SubAgentEnd message={message} />
        </div>
      )}
      {!isOpen && <PictureStrip parts={work.flatMap(({ parts }) => parts)} />}
    </Card>
  )
}

/** The name stays empty until the sub-agent's own message tells it: the call has only a key, and may have half of it. */
function AgentChip({ name }: { readonly name: string }) {
  return (
    <span className="flex min-h-5 min-w-0 shrink-0 items-center gap-1 rounded-full bg-accent-soft px-2 py-0.5 text-xs font-semibold text-accent">
      <Bot size={13} className="shrink-0" /> <span data-agent-name>{name}</span>
    </span>
  )
}

/** Says why a sub-agent did not come to a good end. */
function SubAgentEnd({ message }: { readonly message: Message }) {
  const { status, statusText, isEmpty } = message.metadata ?? {}
  if (status === 'finished') return isEmpty === true ? <EmptyNote message={message} /> : null
  if (statusText === undefined) return null
  return (
    <p className={status === 'failed' ? 'text-danger' : 'text-warning'}>
      <ServerSentence text={statusText} />
    </p>
  )
}

/** A sub-agent waits for a person when one of its calls does, or a call of a sub-agent that works for it. */
function withWaiting(stage: Stage, work: readonly Message[]): Stage {
  if (stage !== 'running') return stage
  const isWaiting = work.some(
    message =>
      message.parts.some(part => 'state' in part && part.state === 'approval-requested') ||
      awaitedOutputs(message).some(({ from }) => from === 'person'),
  )
  return isWaiting ? 'waiting' : 'running'
}

function inputField(part: ToolPart, field: 'name' | 'task'): string {
  const input = toolInput(part)
  const value = isRecord(input) ? input[field] : undefined
  return typeof value === 'string' ? value : ''
}

type Group = readonly PlacedPart[]

/**
 * Returns whether a run of tool calls stays as it is. It does when the person looks at one of its cards at the moment in which
 * the run becomes long enough to be folded: what a person reads does not go away.
 */
function useUnfolded(messageId: string): (run: Group) => boolean {
  // Before a message is drawn, none of its cards are on the page, and nobody has to look for them.
  const isDrawn = useRef(false)
  useEffect(() => {
    isDrawn.current = true
  }, [])
  // By the index of the first part of the run. Decided once, before the run is drawn.
  const decided = useRef(new Map<number, boolean>())
  return run => {
    const start = run[0]?.index ?? 0
    const stays =
      decided.current.get(start) ??
      (isDrawn.current && run.some(({ index }) => isCardInReading(`${messageId} ${index}`)))
    decided.current.set(start, stays)
    return stays
  }
}
