import { awaitedOutputs, isToolPart, type Message, type ToolPart, toolNameOf } from '@throughline/protocol'
import { useEffect, useState } from 'react'
import { StageIcon } from '../parts/card.tsx'
import { isBeingWritten, isGoingOn, stageOf } from '../parts/stage.ts'
import { progressOf, type StepProgress } from '../parts/steps.ts'
import { choiceOf } from '../parts/use-open.ts'
import { useWords } from '../settings/settings.tsx'
import { type MessageGroup, startedBy } from './group-answers.ts'
import { Dots } from './sender.tsx'

/** A text that has not grown for this time does not count as being written. */
const stillAfterMs = 2_000

/**
 * The last line of an answer while its run goes on and no text comes: who works, what they wait for, and how many of the
 * steps that have begun are done. An answer has one such line for itself and all of its sub-agents.
 */
export function Tail({ group, name }: { readonly group: MessageGroup; readonly name: string }) {
  const words = useWords()
  const waits = waitsOf(group)
  const isStill = useIsStill(group)
  if (waits.length === 0 || (!isStill && waits.some(({ type }) => type === 'writing'))) return null
  const isForApproval = waits.some(({ type }) => type === 'approval')
  const isAsking = isForApproval || waits.some(({ type }) => type === 'question')
  const what = [...new Set(waits.map(wait => waitText(wait, words.theModel)))].join(words.comma)
  return (
    <p role="status" data-tail className="flex items-center gap-2 text-sm text-muted">
      {isAsking ? <StageIcon stage="waiting" /> : <Dots />}
      <span data-tail-text className="min-w-0 truncate">
        {isForApproval
          ? words.waitsForApproval(name)
          : isAsking
            ? words.waitsForAnswer(name)
            : words.working(name, what)}
      </span>
      <StepsDone progress={progressOf([group.message, ...group.subAgents])} />
    </p>
  )
}

/** How many steps are done. Nobody knows how many there will be, so it says of how many that have begun. */
function StepsDone({ progress: { started, completed } }: { readonly progress: StepProgress }) {
  const words = useWords()
  if (started === 0) return null
  return (
    <span data-progress className="flex shrink-0 items-center gap-2 text-xs tabular-nums">
      <progress aria-hidden="true" value={completed} max={started} className="steps-done" />
      {words.stepsDone(completed, started)}
    </span>
  )
}

function waitText({ type, names }: Wait, theModel: string): string {
  const path = type === 'tool' || type === 'sub-agent' ? names : [...names, theModel]
  return path.join(' › ')
}

/** Returns whether a message has not changed for a while. */
function useIsStill(group: MessageGroup): boolean {
  const [still, setStill] = useState<MessageGroup>()
  useEffect(() => {
    const timer = setTimeout(() => setStill(group), stillAfterMs)
    return () => clearTimeout(timer)
  }, [group])
  return still === group
}

/** What an agent of an answer waits for, or that it writes at this moment. */
export interface Wait {
  readonly type: 'writing' | 'model' | 'tool' | 'approval' | 'question' | 'sub-agent'
  /** The names of the sub-agents on the way to it, and the name of the tool. */
  readonly names: readonly string[]
}

/**
 * Returns what an answer waits for, for each of its agents that are at work. Empty when the answer has ended. `choice`
 * returns whether the person has opened or closed a card.
 */
export function waitsOf({ message, subAgents }: MessageGroup, choice = choiceOf): readonly Wait[] {
  const waitsIn = (agent: Message, names: readonly string[]): readonly Wait[] => {
    const asked = new Set(
      awaitedOutputs(agent).flatMap(({ from, toolCallId }) => (from === 'person' ? [toolCallId] : [])),
    )
    const waits = agent.parts.flatMap((part, index): readonly Wait[] => {
      if (part.type === 'text' || part.type === 'reasoning')
        return part.state === 'streaming' ? [{ type: 'writing', names }] : []
      if (!isToolPart(part) || !isGoingOn(stageOf(part, true))) return []
      const started = startedBy(agent.id, part, subAgents)
      if (started === undefined || !isBeingWritten(started))
        return [waitForCall(part, names, asked.has(part.toolCallId))]
      const below = waitsIn(started, [...names, started.metadata?.senderName ?? ''])
      return choice(`${agent.id} ${index}`) === false ? below.map(unseen) : below
    })
    return waits.length === 0 ? [{ type: 'model', names }] : waits
  }
  return isBeingWritten(message) ? waitsIn(message, []) : []
}

function waitForCall(part: ToolPart, names: readonly string[], isAsked: boolean): Wait {
  const type = part.state === 'approval-requested' ? 'approval' : isAsked ? 'question' : 'tool'
  return { type, names: [...names, part.title ?? toolNameOf(part)] }
}

/** When the person has closed a card, they do not see that text is being written in it. */
function unseen(wait: Wait): Wait {
  return wait.type === 'writing' ? { ...wait, type: 'sub-agent' } : wait
}
