import { type Entry, formatCost } from '@throughline/protocol'
import { useMemo } from 'react'
import { durationLabel } from '../../text/duration-label.ts'
import type { InspectorWords } from '../../words/inspector/en.ts'
import { useInspectorWords } from '../../words/inspector/use-inspector-words.ts'
import { type UsedTokens, usageBy } from './answer-numbers.ts'
import type { Span, Timeline } from './timeline.ts'

interface Props {
  readonly entries: readonly Entry[]
  readonly timeline: Timeline
}

const mostSteps = 40

/** Tokens and money by agent, by model and by step, and the time of each step. */
export function UsageCharts({ entries, timeline }: Props) {
  const words = useInspectorWords()
  const { byAgent, byModel } = useMemo(() => usageBy(entries), [entries])
  const steps = useMemo(() => stepsIn(timeline), [timeline])
  const shown = steps.slice(0, mostSteps)
  const used = shown.flatMap(step => stepUsageBar(step, words) ?? [])
  return (
    <>
      {byAgent.length === 0 && <p className="text-sm text-muted">{words.noUsage}</p>}
      {byAgent.length > 0 && (
        <BarChart title={words.tokensByAgent} bars={byAgent.map(share => usageBar(share, words))} />
      )}
      {byModel.length > 0 && (
        <BarChart title={words.tokensByModel} bars={byModel.map(share => usageBar(share, words))} />
      )}
      {used.length > 0 && <BarChart title={words.tokensByStep} bars={used} />}
      <BarChart title={words.timeByStep} bars={shown.map(step => stepTimeBar(step, words))} />
      {steps.length > mostSteps && (
        <p className="text-xs text-muted">{words.firstSteps(mostSteps, steps.length)}</p>
      )}
    </>
  )
}

function usageBar({ key, name, inputTokens, outputTokens, cost }: UsedTokens, words: InspectorWords): Bar {
  const money = formatCost(cost)
  const tokens = words.tokens(inputTokens, outputTokens)
  return {
    key,
    label: name,
    pieces: [
      { value: inputTokens, colour: 'bg-sky-500' },
      { value: outputTokens, colour: 'bg-accent' },
    ],
    text: money === undefined ? tokens : `${tokens} · ${money}`,
  }
}

/** A step of an agent: one model call. */
interface Step {
  readonly agentName: string
  readonly span: Span
}

function stepsIn({ lanes }: Timeline): readonly Step[] {
  return lanes
    .flatMap(({ name, spans }) =>
      spans.flatMap(span => (span.kind === 'model' ? [{ agentName: name, span }] : [])),
    )
    .sort((one, other) => one.span.seq - other.span.seq)
}

function stepTimeBar({ agentName, span }: Step, words: InspectorWords): Bar {
  return {
    key: String(span.seq),
    label: `${agentName} · ${words.step(span.label)}`,
    pieces: [{ value: span.to - span.from, colour: 'bg-accent' }],
    text: durationLabel(span.to - span.from),
  }
}

/** Returns `undefined` when the log does not say what the step used. */
function stepUsageBar({ agentName, span }: Step, words: InspectorWords): Bar | undefined {
  const { seq, label, usage } = span
  if (usage === undefined) return undefined
  const { inputTokens, outputTokens, cost } = usage
  const name = `${agentName} · ${words.step(label)}`
  return usageBar({ key: String(seq), name, inputTokens, outputTokens, cost: cost ?? undefined }, words)
}

/** One bar of a chart. */
interface Bar {
  readonly key: string
  readonly label: string
  /** The pieces of the bar, from left to right. */
  readonly pieces: readonly { readonly value: number; readonly colour: string }[]
  /** What the bar says, in words. */
  readonly text: string
}

interface ChartProps {
  readonly title: string
  readonly bars: readonly Bar[]
}

/** A small chart of bars. The longest one fills the width. */
function BarChart({ title, bars }: ChartProps) {
  const longest = Math.max(1, ...bars.map(totalOf))
  return (
    <section className="space-y-1">
      <h3 className="text-sm font-medium">{title}</h3>
      <ul className="space-y-1 text-xs">
        {bars.map(bar => (
          <li key={bar.key}>
            <div className="flex justify-between gap-3">
              <span className="min-w-0 truncate">{bar.label}</span>
              <span className="shrink-0 text-muted tabular-nums">{bar.text}</span>
            </div>
            <div aria-hidden="true" className="flex h-2 overflow-hidden rounded bg-panel">
              {bar.pieces.map(({ value, colour }) => (
                <span key={colour} className={colour} style={{ width: `${(value / longest) * 100}%` }} />
              ))}
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

function totalOf({ pieces }: Bar): number {
  return pieces.reduce((sum, { value }) => sum + value, 0)
}
