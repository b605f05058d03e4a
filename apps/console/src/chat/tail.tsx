import { useEffect, useState } from 'react'
import { StageIcon } from '../parts/stage-icon.tsx'
import { type Progress, progressOf } from '../parts/steps.ts'
import { useWords } from '../settings/settings.tsx'
import type { MessageGroup } from './group-answers.ts'
import { Dots } from './sender.tsx'
import { type Wait, waitsOf } from './waits.ts'

/** A text that has not grown for so long does not count as being written. */
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
function StepsDone({ progress: { started, completed } }: { readonly progress: Progress }) {
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
