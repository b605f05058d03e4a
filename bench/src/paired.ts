import { type Goal, type Measurement, microseconds } from './report.ts'
import { median } from './timing.ts'

/** What ours and another took in one round, one right after the other: what else the machine did then met both. */
export interface Pair<Value> {
  readonly ours: Value
  readonly other: Value
}

/** Medians over the rounds; the ratio is the median of the rounds' ratios. */
export function compared(
  name: string,
  pairs: readonly Pair<number>[],
  { goal, ratioOf }: { readonly goal: Goal; readonly ratioOf: (pair: Pair<number>) => number },
): Measurement {
  return {
    name,
    ours: microseconds(median(pairs.map(pair => pair.ours))),
    other: microseconds(median(pairs.map(pair => pair.other))),
    ratio: median(pairs.map(ratioOf)),
    goal,
  }
}

/** How many times as fast ours is. */
export const gain = ({ ours, other }: Pair<number>): number => other / ours
/** How many times as much ours costs. */
export const cost = ({ ours, other }: Pair<number>): number => ours / other
