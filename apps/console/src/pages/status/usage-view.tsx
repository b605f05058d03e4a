import { formatCost } from '@throughline/protocol'
import { isUsageBody, type UsageBody } from '@throughline/protocol/internal'
import { useMemo, useState } from 'react'
import type { AgentItem } from '../../agents/use-agents.ts'
import { RadioGroup } from '../../controls/radio-group.tsx'
import { useSettings, useWords } from '../../settings/settings.tsx'
import type { StatusWords } from '../../words/other-pages/en.ts'
import { useOtherPagesWords } from '../../words/other-pages/use-other-pages-words.ts'
import {
  addUp,
  type DayStack,
  type StackedUsage,
  type StackOptions,
  scaleEnd,
  stackUsage,
  type UsageSum,
} from './stack-usage.ts'
import { useLoaded } from './use-loaded.ts'

const periods = [7, 30, 90]

/** What the person has used over time, as a chart that they can turn. */
export function UsageView({ agents }: { readonly agents: readonly AgentItem[] }) {
  const words = useOtherPagesWords().status
  const [count, setCount] = useState(30)
  const [measure, setMeasure] = useState<StackOptions['measure']>('tokens')
  const [by, setBy] = useState<StackOptions['by']>('model')
  const { value: usage, hasFailed } = useLoaded(isUsageBody, `/api/usage?days=${count}`)
  const measures = (['tokens', 'cost'] as const).map(value => ({ value, label: words.measures[value] }))
  const splits = (['model', 'agent'] as const).map(value => ({ value, label: words.splits[value] }))
  return (
    <section>
      <h2 className="font-semibold">{words.usage}</h2>
      <div className="mt-3 flex flex-wrap gap-2">
        <RadioGroup
          label={words.period}
          options={periods.map(value => ({ value, label: words.days(value) }))}
          value={count}
          onChange={setCount}
        />
        <RadioGroup label={words.measure} options={measures} value={measure} onChange={setMeasure} />
        <RadioGroup label={words.split} options={splits} value={by} onChange={setBy} />
      </div>
      {usage === undefined ? (
        <p className="mt-4 text-muted">{hasFailed ? words.failed : words.loading}</p>
      ) : (
        <UsageOver usage={usage} measure={measure} by={by} agents={agents} />
      )}
    </section>
  )
}

interface UsageOverProps extends Pick<StackOptions, 'measure' | 'by'> {
  readonly usage: UsageBody
  readonly agents: readonly AgentItem[]
}

function UsageOver({ usage: { days, from, to }, measure, by, agents }: UsageOverProps) {
  const words = useOtherPagesWords().status
  const { language } = useSettings()
  const stacked = useMemo(() => stackUsage(days, { from, to, measure, by }), [days, from, to, measure, by])
  if (days.length === 0) return <p className="mt-4 text-muted">{words.nothingUsed}</p>
  const date = new Intl.DateTimeFormat(language, { month: 'short', day: 'numeric', timeZone: 'UTC' })
  const dateText = (day: string) => date.format(new Date(day))
  const compact = new Intl.NumberFormat(language, { notation: 'compact' })
  const all = addUp(stacked.series)
  return (
    <div className="mt-3">
      <UsageChart
        usage={stacked}
        label={words.chart(words.measures[measure], dateText(from), dateText(to))}
        summary={words.inAll(usedText(all, words))}
        valueText={value => (measure === 'cost' ? `$${Number(value.toPrecision(2))}` : compact.format(value))}
        dayText={day => usedText(day, words)}
        dateText={dateText}
      />
      <ul className="mt-4 divide-y divide-line text-sm">
        {stacked.series.map((sum, index) => (
          <li key={sum.key ?? '*'} className="flex flex-wrap items-center gap-x-2.5 py-2">
            <span aria-hidden="true" className={`size-3 shrink-0 rounded-sm ${colours[index]?.mark}`} />
            <span className="min-w-0 flex-1 basis-44 break-words">{nameOf(sum, { by, agents, words })}</span>
            <span className="ml-auto shrink-0 text-muted tabular-nums">{usedText(sum, words)}</span>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-xs text-muted">
        {words.utc} {all.unpricedTokens > 0 && words.unpriced(all.unpricedTokens)}
      </p>
    </div>
  )
}

/** No money is said when no price was known: it was not free. */
function usedText({ tokens, cost }: Pick<UsageSum, 'tokens' | 'cost'>, words: StatusWords): string {
  const money = cost === 0 ? undefined : formatCost(cost)
  return money === undefined ? words.tokens(tokens) : `${words.tokens(tokens)} · ${money}`
}

interface Naming extends Pick<UsageOverProps, 'by' | 'agents'> {
  readonly words: StatusWords
}

function nameOf({ key }: UsageSum, { by, agents, words }: Naming): string {
  if (key === undefined) return words.other
  if (by === 'agent') return agents.find(({ name }) => name === key)?.displayName ?? key
  return key === '' ? words.unnamedModel : key
}

/** The colours of the series, as shapes of the chart and as marks in its legend. */
const colours = [
  { fill: 'fill-accent', mark: 'bg-accent' },
  { fill: 'fill-sky-500', mark: 'bg-sky-500' },
  { fill: 'fill-amber-500', mark: 'bg-amber-500' },
  { fill: 'fill-violet-500', mark: 'bg-violet-500' },
  { fill: 'fill-rose-400', mark: 'bg-rose-400' },
]

interface ChartProps {
  readonly usage: StackedUsage
  /** What the chart shows, for people who do not see it. */
  readonly label: string
  /** What is said while no day is pointed at. */
  readonly summary: string
  /** Returns a value of the scale as text. */
  readonly valueText: (value: number) => string
  /** Returns what is said about one day. */
  readonly dayText: (day: DayStack) => string
  readonly dateText: (day: string) => string
}

/** The height of the picture. Its width is one for each day; the browser stretches both. */
const height = 100

/** One bar for each day, made of the series. The day under the pointer is told in words. */
function UsageChart({ usage: { days }, label, summary, valueText, dayText, dateText }: ChartProps) {
  const { colon } = useWords()
  const [pointed, setPointed] = useState<DayStack>()
  const end = scaleEnd(Math.max(0, ...days.map(totalOf)))
  const first = days[0]?.day ?? ''
  const last = days.at(-1)?.day ?? ''
  return (
    <figure>
      <figcaption className="h-6 truncate text-sm text-muted tabular-nums" aria-hidden="true">
        {pointed === undefined ? summary : `${dateText(pointed.day)}${colon}${dayText(pointed)}`}
      </figcaption>
      <div className="relative h-44 border-b border-line">
        <Line at={0} text={valueText(end)} />
        <Line at={50} text={valueText(end / 2)} />
        <svg
          role="img"
          aria-label={label}
          viewBox={`0 0 ${days.length} ${height}`}
          preserveAspectRatio="none"
          className="absolute inset-y-0 left-0 h-full w-[calc(100%-3rem)]"
          onPointerLeave={() => setPointed(undefined)}
        >
          {days.map((day, index) => (
            <g key={day.day} onPointerEnter={() => setPointed(day)}>
              {/* The whole height of a day can be pointed at. */}
              <rect
                x={index}
                width={1}
                height={height}
                className={pointed?.day === day.day ? 'fill-ink/5' : 'fill-transparent'}
              />
              <Bar day={day} x={index} end={end} />
            </g>
          ))}
        </svg>
      </div>
      <div aria-hidden="true" className="mt-1 mr-12 flex justify-between text-xs text-muted">
        <span>{dateText(first)}</span>
        <span>{dateText(last)}</span>
      </div>
    </figure>
  )
}

function Bar({ day, x, end }: { readonly day: DayStack; readonly x: number; readonly end: number }) {
  let top = height
  return day.values.map((value, index) => {
    const size = (value / end) * height
    top -= size
    const colour = colours[index] ?? colours[0]
    if (size === 0) return null
    return <rect key={colour?.fill} x={x + 0.15} y={top} width={0.7} height={size} className={colour?.fill} />
  })
}

function Line({ at, text }: { readonly at: number; readonly text: string }) {
  return (
    <div
      aria-hidden="true"
      className="absolute inset-x-0 border-t border-dashed border-line text-right text-xs text-muted"
      style={{ top: `${at}%` }}
    >
      {text}
    </div>
  )
}

function totalOf({ values }: DayStack): number {
  return values.reduce((sum, value) => sum + value, 0)
}
