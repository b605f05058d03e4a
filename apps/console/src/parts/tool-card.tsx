import {
  closedCallOf,
  picturesIn,
  type ToolPart,
  toolInput,
  toolNameOf,
  truncatedIn,
} from '@throughline/protocol'
import { lazy, memo, Suspense, useEffect, useMemo } from 'react'
import { ErrorBoundary, ReloadNote } from '../controls/error-boundary.tsx'
import { useWords } from '../settings/settings.tsx'
import { durationLabel } from '../text/duration-label.ts'
import type { Words } from '../words/first/en.ts'
import { Card, CardNote } from './card.tsx'
import { type Stage, stageOf } from './stage.ts'
import type { Step } from './steps.ts'
import { Screenshot } from './tool-pictures.tsx'
import { useChoice } from './use-open.ts'

// A script of its own, which is loaded with the first card: chats without tools do not need it.
const loadInside = () => import('./tool-inside.tsx')
const ToolInside = lazy(async () => ({ default: (await loadInside()).ToolInside }))

interface Props {
  /** Names the call among all calls of all chats. */
  readonly id: string
  readonly part: ToolPart
  readonly step: Step | undefined
  /** Whether the message of the call is still being written. */
  readonly isLive: boolean
}

/** A tool call: its state on one line, and its input and output when the person opens it. */
export const ToolCard = memo(function ToolCard({ id, part, step, isLive }: Props) {
  const words = useWords()
  // Closed until the person opens it. A new state of the tool never opens or closes it.
  const [isOpen = false, choose] = useChoice(id)
  const stage = stageOf(part, isLive, step?.request?.from)
  const input = toolInput(part)
  const pictures = useMemo(() => picturesIn(part.output), [part.output])
  useEffect(() => {
    // If this fails, it is tried again when the card has something to show.
    loadInside().catch(() => undefined)
  }, [])
  const note = noteOf(part, stage, words)
  return (
    <Card
      id={id}
      stage={stage}
      name={toolNameOf(part)}
      title={<span className="shrink-0 font-medium">{part.title ?? toolNameOf(part)}</span>}
      summary={summaryOf(input)}
      time={step?.durationMs === undefined ? undefined : durationLabel(step.durationMs)}
      isOpen={isOpen}
      onToggle={() => choose(!isOpen)}
    >
      {note !== undefined && <CardNote stage={stage} text={note} />}
      {pictures.map(address => (
        <Screenshot key={address} address={address} />
      ))}
      {(isOpen || stage === 'waiting') && (
        <ErrorBoundary fallback={<ReloadNote />}>
          <Suspense>
            <ToolInside
              part={part}
              input={input}
              request={step?.request}
              isWaiting={stage === 'waiting'}
              isOpen={isOpen}
            />
          </Suspense>
        </ErrorBoundary>
      )}
    </Card>
  )
})

/** Returns why a call came to its end; `undefined` when the word for its stage says it all. */
function noteOf(part: ToolPart, stage: Stage, words: Words): string | undefined {
  switch (stage) {
    case 'denied':
      return part.approval?.reason ?? words.denied
    case 'unknown':
      return words.outcomeUnknown
    case 'waiting-for-app':
      return words.waitsForApp
    case 'cut':
      return closedCallOf(part)?.reason
    default:
      return part.errorText
  }
}

/** Returns the input of a call on one short line. */
function summaryOf(input: unknown): string {
  const truncated = truncatedIn(input)
  if (truncated !== undefined) return truncated.text.slice(0, 200)
  if (typeof input !== 'object' || input === null) return input === undefined ? '' : String(input)
  return Object.values(input)
    .map(value => (typeof value === 'string' ? value : JSON.stringify(value)))
    .join(', ')
    .slice(0, 200)
}
