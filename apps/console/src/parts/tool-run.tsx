import { isToolPart } from '@throughline/protocol'
import { ChevronRight, Wrench } from 'lucide-react'
import { useState } from 'react'
import { useWords } from '../settings/settings.tsx'
import type { PlacedPart } from './group-parts.ts'
import { isCardInReading } from './in-reading.ts'
import { PartView } from './part-view.tsx'
import { PictureStrip } from './picture-strip.tsx'
import { isGoingOn, type Stage, stageOf } from './stage.ts'
import type { Step } from './steps.ts'
import { choiceOf, useChoice } from './use-choice.ts'

interface Props {
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
export function ToolRun({ messageId, placed, steps, isLive }: Props) {
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
