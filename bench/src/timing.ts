import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const gc: unknown = runInNewContext('gc')

/** Collects garbage before a measurement, so that it does not pay for the garbage of the previous one. */
export function collectGarbage(): void {
  if (typeof gc === 'function') gc()
}

/** Returns the median; of an even number of values, the upper one of the two in the middle. Throws if there are none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted[Math.floor(sorted.length / 2)]
  if (middle === undefined) throw new RangeError('There is no median of nothing. Measure at least once.')
  return middle
}

export function sleep(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms))
}
