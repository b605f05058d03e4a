import type { UsageOfDay } from '@throughline/protocol/internal'

/** What is drawn: for each day the parts of one bar, and the sums of each part over all days. */
export interface StackedUsage {
  /** The parts, the largest first. Those that are too many are together in the last one, whose key is `undefined`. */
  readonly series: readonly UsageSum[]
  readonly days: readonly DayStack[]
}

/** One part over all days. */
export interface UsageSum {
  readonly key: string | undefined
  readonly tokens: number
  readonly cost: number
  readonly unpricedTokens: number
}

export interface DayStack {
  readonly day: string
  /** One value for each of the series, in their order. */
  readonly values: readonly number[]
  readonly tokens: number
  readonly cost: number
}

export interface StackOptions {
  readonly from: string
  readonly to: string
  readonly measure: 'tokens' | 'cost'
  readonly by: 'model' | 'agent'
}

/** More colours than this cannot be told apart. */
const mostSeries = 5

/** Adds up usage by day, and by model or by agent. Days without any usage are there, too. */
export function stackUsage(usage: readonly UsageOfDay[], options: StackOptions): StackedUsage {
  const { measure, by, from, to } = options
  const sums = [...Map.groupBy(usage, each => each[by])]
    .map(([key, each]) => ({ key, ...sumOf(each) }))
    .sort((one, other) => other[measure] - one[measure] || other.tokens - one.tokens)
  const named = sums.slice(0, sums.length > mostSeries ? mostSeries - 1 : mostSeries)
  const others = sums.slice(named.length)
  const rest = others.length === 0 ? [] : [{ key: undefined, ...addUp(others) }]
  const places = new Map(named.map(({ key }, index) => [key, index]))
  const byDay = Map.groupBy(usage, ({ day }) => day)
  const days = daysBetween(from, to).map(day => {
    const used = byDay.get(day) ?? []
    const values = Array.from({ length: named.length + rest.length }, () => 0)
    for (const each of used) {
      const place = places.get(each[by]) ?? named.length
      values[place] = (values[place] ?? 0) + (measure === 'cost' ? each.cost : tokensOf(each))
    }
    const { tokens, cost } = sumOf(used)
    return { day, values, tokens, cost }
  })
  return { series: [...named, ...rest], days }
}

/** Returns all days from the first to the last one, such as `2026-11-16`. */
export function daysBetween(from: string, to: string): readonly string[] {
  const days: string[] = []
  const dayMs = 24 * 60 * 60 * 1000
  for (let time = Date.parse(from); time <= Date.parse(to); time += dayMs)
    days.push(new Date(time).toISOString().slice(0, from.length))
  return days
}

/** Returns the end of the scale: the next of 1, 2 or 5 times a power of ten. 1 when there is nothing to draw. */
export function scaleEnd(largest: number): number {
  if (largest <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(largest))
  const steps = [1, 2, 5, 10].map(factor => factor * power)
  return steps.find(step => step >= largest) ?? 10 * power
}

function tokensOf({ inputTokens, outputTokens }: UsageOfDay): number {
  return inputTokens + outputTokens
}

type Sum = Omit<UsageSum, 'key'>

function sumOf(usage: readonly UsageOfDay[]): Sum {
  return addUp(usage.map(each => ({ ...each, tokens: tokensOf(each) })))
}

/** Returns the sum of all. */
export function addUp(sums: readonly Sum[]): Sum {
  return sums.reduce<Sum>(
    (all, { tokens, cost, unpricedTokens }) => ({
      tokens: all.tokens + tokens,
      cost: all.cost + cost,
      unpricedTokens: all.unpricedTokens + unpricedTokens,
    }),
    { tokens: 0, cost: 0, unpricedTokens: 0 },
  )
}
