import {
  isContinued,
  isToolPart,
  isUnreadable,
  isWaitingToGoOn,
  type Part,
  type ReasoningPart,
} from '@throughline/protocol'
import { Brain, ChevronRight, FileText, Wrench } from 'lucide-react'
import { memo, useState } from 'react'
import { ErrorBoundary } from '../controls/error-boundary.tsx'
import { Markdown } from '../markdown/markdown.tsx'
import { useWords } from '../settings/settings.tsx'
import type { PlacedPart } from './group-parts.ts'
import { isGoingOn, type Stage, stageOf } from './stage.ts'
import type { Step } from './steps.ts'
import { ToolCard } from './tool-card.tsx'
import { PictureStrip } from './tool-pictures.tsx'
import { choiceOf, isCardInReading, useChoice, useOpen } from './use-open.ts'

interface Props {
  /** Names the part among all parts of all chats. */
  readonly id: string
  readonly part: Part
  readonly step?: Step | undefined
  /** Whether the message of the part is still being written. */
  readonly isLive: boolean
}

/** Draws one part of a message. Draws nothing for a source, which is in the list below the message, and for unknown parts. */
export const PartView = memo(function PartView(props: Props) {
  return (
    <ErrorBoundary fallback={<UnreadablePart />}>
      <PartContent {...props} />
    </ErrorBoundary>
  )
})

function PartContent({ id, part, step, isLive }: Props) {
  if (isToolPart(part)) return <ToolCard id={id} part={part} step={step} isLive={isLive} />
  if (isWaitingToGoOn(part)) return isLive ? <CrashMark word="waitsAfterCrash" /> : null
  if (isContinued(part)) return <CrashMark word="continued" />
  if (isUnreadable(part)) return <UnreadablePart />
  switch (part.type) {
    case 'text':
      return part.text.trim() === '' ? null : <Markdown text={part.text} />
    case 'reasoning':
      return <Reasoning id={id} part={part} />
    case 'file':
      return <FileName label={part.filename ?? part.mediaType} />
    default:
      return null
  }
}

/** Shows where an answer went on after a crash, or waits for it. */
function CrashMark({ word }: { readonly word: 'continued' | 'waitsAfterCrash' }) {
  return <p className="text-xs text-muted">↻ {useWords()[word]}</p>
}

interface RunProps {
  readonly messageId: string
  /** The calls, and the thoughts between them. */
  readonly placed: readonly PlacedPart[]
  readonly steps: ReadonlyMap<string, Step>
  /** Whether the message is still being written. */
  readonly isLive: boolean
}

/** The calls that the person looked at when a call ended. They stay on the screen until the next one ends. */
interface Read {
  readonly endedCount: number
  readonly indexes: readonly number[]
}

/**
 * Many tool calls in a row, folded into one line that counts those that have ended. Calls that go on are always visible,
 * and so are the pictures of those that have ended.
 */
export function ToolRun({ messageId, placed, steps, isLive }: RunProps) {
  const words = useWords()
  const [choice, choose] = useChoice(`${messageId} run ${placed[0]?.index}`)
  const calls = placed.flatMap(({ part, index }) =>
    isToolPart(part)
      ? [{ part, index, stage: stageOf(part, isLive, steps.get(part.toolCallId)?.request?.from) }]
      : [],
  )
  const ended = calls.filter(({ stage }) => !isGoingOn(stage))
  const idOf = ({ index }: PlacedPart) => `${messageId} ${index}`
  // What the person had opened before it was folded stays on the screen.
  const isOpen = choice ?? ended.some(call => choiceOf(idOf(call)) === true)
  const [read, setRead] = useState<Read>({ endedCount: ended.length, indexes: [] })
  // Looked up before the change is drawn: afterwards the card of a call that has ended would be gone.
  if (read.endedCount !== ended.length) {
    const inReading = isOpen ? [] : ended.filter(call => isCardInReading(idOf(call)))
    setRead({ endedCount: ended.length, indexes: inReading.map(({ index }) => index) })
  }
  const isFolded = ({ index, stage }: (typeof calls)[number]) =>
    !isGoingOn(stage) && !read.indexes.includes(index)
  const folded = ended.filter(isFolded)
  const shown = isOpen ? placed : calls.filter(call => !isFolded(call))
  return (
    <section data-tool-run={ended.length} className="space-y-3">
      {(folded.length > 0 || isOpen) && (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => choose(!isOpen)}
          className="flex items-center gap-1.5 rounded text-sm text-muted hover:text-ink pointer-coarse:min-h-10"
        >
          <Wrench size={15} className="shrink-0" />
          <span>
            {words.tools(isOpen ? ended.length : folded.length)}
            {[...countBy(isOpen ? ended : folded)].map(([stage, count]) => (
              <span key={stage} className={stage === 'failed' ? 'text-danger' : 'text-warning'}>
                {words.ofWhich(count, words.stages[stage])}
              </span>
            ))}
          </span>
          <ChevronRight size={14} className={`shrink-0 transition-transform ${isOpen ? 'rotate-90' : ''}`} />
        </button>
      )}
      {!isOpen && <PictureStrip parts={folded.map(({ part }) => part)} />}
      {shown.map(({ part, index }) => (
        <PartView
          key={index}
          id={`${messageId} ${index}`}
          part={part}
          step={isToolPart(part) ? steps.get(part.toolCallId) : undefined}
          isLive={isLive}
        />
      ))}
    </section>
  )
}

/** Returns how many calls came to each end other than success. */
function countBy(ended: readonly { readonly stage: Stage }[]): ReadonlyMap<Stage, number> {
  const counts = new Map<Stage, number>()
  for (const { stage } of ended) if (stage !== 'done') counts.set(stage, (counts.get(stage) ?? 0) + 1)
  return counts
}

interface ReasoningProps {
  /** Names the part among all parts of all chats. */
  readonly id: string
  readonly part: ReasoningPart
}

/** The reasoning of an agent: open while it is written, then closed, unless the person has opened or closed it. */
const Reasoning = memo(function Reasoning({ id, part }: ReasoningProps) {
  const words = useWords()
  const isThinking = part.state === 'streaming'
  const { isOpen, toggle, box } = useOpen(id, isThinking)
  if (part.text.trim() === '') return null
  return (
    <section ref={box} className="text-sm text-muted">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={toggle}
        className="flex items-center gap-1.5 rounded hover:text-ink"
      >
        <Brain size={15} className={isThinking ? 'animate-pulse text-accent' : ''} />
        {isThinking ? words.reasoning : words.thought}
        <ChevronRight size={14} className={`transition-transform ${isOpen ? 'rotate-90' : ''}`} />
      </button>
      {isOpen && (
        <div className="mt-1.5 border-l-2 border-line pl-3">
          <Markdown text={part.text} />
        </div>
      )}
    </section>
  )
})

/** A file that is not drawn as a picture. */
export function FileName({ label }: { readonly label: string }) {
  return (
    <span className="inline-flex max-w-full items-center gap-1.5 rounded-lg border border-line px-2 py-0.5 text-sm">
      <FileText size={14} className="shrink-0 text-muted" />
      <span className="truncate">{label}</span>
    </span>
  )
}

/** In place of a part that cannot be read or drawn. Everything around it is shown. */
export function UnreadablePart() {
  return (
    <p data-unreadable className="text-sm text-danger">
      {useWords().renderFailed}
    </p>
  )
}
