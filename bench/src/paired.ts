import { type Goal, type Measurement, microseconds } from './report.ts'
import { median } from './timing.ts'

/** What ours and another cost in one round. They ran right after each other, so other load on the machine hit both. */
export interface Pair<Value> {
  readonly ours: Value
  readonly other: Value
}

/** Returns the medians of all rounds. The ratio is the median of the ratios of the rounds. */
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

/** Returns how many times as fast ours is. */
export const gain = ({ ours, other }: Pair<number>): number => other / ours
/** Returns how many times as much ours costs. */
export const cost = ({ ours, other }: Pair<number>): number => ours / other
