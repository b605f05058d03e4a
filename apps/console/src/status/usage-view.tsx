import { formatCost } from '@throughline/protocol'
import { useMemo, useState } from 'react'
import type { AgentItem } from '../chats/use-chats.ts'
import { RadioGroup } from '../radio-group.tsx'
import { useSettings } from '../settings/settings.tsx'
import { addUp, type StackOptions, stackUsage, type UsageOfDay, type UsageSum } from './stack-usage.ts'
import { type StatusWords, useStatusWords } from './status-words.ts'
import { colours, UsageChart } from './usage-chart.tsx'
import { useLoaded } from './use-loaded.ts'

interface Usage extends Pick<StackOptions, 'from' | 'to'> {
  readonly days: readonly UsageOfDay[]
}

const periods = [7, 30, 90]

/** What the person has used over time, as a chart that they can turn. */
export function UsageView({ agents }: { readonly agents: readonly AgentItem[] }) {
  const words = useStatusWords()
  const [count, setCount] = useState(30)
  const [measure, setMeasure] = useState<StackOptions['measure']>('tokens')
  const [by, setBy] = useState<StackOptions['by']>('model')
  const { value: usage, hasFailed } = useLoaded<Usage>(`/api/usage?days=${count}`)
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
  readonly usage: Usage
  readonly agents: readonly AgentItem[]
}

function UsageOver({ usage: { days, from, to }, measure, by, agents }: UsageOverProps) {
  const words = useStatusWords()
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
