import { type Entry, formatCost } from '@throughline/protocol'
import { useMemo } from 'react'
import { type InspectorWords, useInspectorWords } from '../inspector-words.ts'
import { type Bar, BarChart } from './bar-chart.tsx'
import { durationText } from './drawn-spans.ts'
import type { Timeline } from './timeline.ts'
import { type UsageShare, usageBy } from './usage-by.ts'

interface Props {
  readonly entries: readonly Entry[]
  readonly timeline: Timeline
}

const mostSteps = 40

/** Tokens and money by agent and by model, and the time of each step. */
export function UsageCharts({ entries, timeline }: Props) {
  const words = useInspectorWords()
  const { byAgent, byModel } = useMemo(() => usageBy(entries), [entries])
  const steps = useMemo(() => stepBars(timeline, words), [timeline, words])
  return (
    <>
      {byAgent.length === 0 && <p className="text-sm text-muted">{words.noUsage}</p>}
      {byAgent.length > 0 && (
        <BarChart title={words.tokensByAgent} bars={byAgent.map(share => usageBar(share, words))} />
      )}
      {byModel.length > 0 && (
        <BarChart title={words.tokensByModel} bars={byModel.map(share => usageBar(share, words))} />
      )}
      <BarChart title={words.timeByStep} bars={steps.slice(0, mostSteps)} />
      {steps.length > mostSteps && (
        <p className="text-xs text-muted">{words.firstSteps(mostSteps, steps.length)}</p>
      )}
    </>
  )
}

function usageBar({ key, name, inputTokens, outputTokens, cost }: UsageShare, words: InspectorWords): Bar {
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

/** A step is one model call. The log has its times; tokens are counted for the whole answer. */
function stepBars({ lanes }: Timeline, words: InspectorWords): readonly Bar[] {
  return lanes
    .flatMap(({ name, spans }) => spans.flatMap(span => (span.kind === 'model' ? [{ name, span }] : [])))
    .sort((one, other) => one.span.seq - other.span.seq)
    .map(({ name, span }) => ({
      key: String(span.seq),
      label: `${name} · ${words.step(span.label)}`,
      pieces: [{ value: span.to - span.from, colour: 'bg-accent' }],
      text: durationText(span.to - span.from),
    }))
}
