import { awaitedOutputs, isRecord, type Message, type ToolPart, toolInput } from '@throughline/protocol'
import { Bot } from 'lucide-react'
import type { ReactNode } from 'react'
import { ServerSentence } from '../errors/server-sentence.tsx'
import { Card, CardNote } from '../parts/card.tsx'
import { PictureStrip } from '../parts/picture-strip.tsx'
import { isGoingOn, refusalOf, type Stage, stageOfDelegation } from '../parts/stage.ts'
import { useOpen } from '../parts/use-open.ts'
import { useWords } from '../settings/settings.tsx'
import { EmptyNote } from './end-note.tsx'
import { workOf } from './sub-agent-work.ts'

interface Props {
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
export function SubAgentCard({ id, part, message, subAgents, isCallerLive, children }: Props) {
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
        <CardNote stage={stage} text={refusalOf(part)?.message ?? part.errorText ?? ''} />
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
