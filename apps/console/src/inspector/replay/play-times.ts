import type { Entry } from '@throughline/protocol'

/** A longer pause between two entries, such as a wait for approval, is shortened to this. */
const longestPauseMs = 3_000

/** Returns when each entry is played, in milliseconds since the first one. The times never go back. */
export function playTimesOf(entries: readonly Pick<Entry, 'at'>[]): readonly number[] {
  let time = 0
  let before = entries[0]?.at ?? 0
  return entries.map(({ at }) => {
    time += Math.min(longestPauseMs, Math.max(0, at - before))
    before = at
    return time
  })
}

/** Returns the index of the last entry that is played at a time; -1 before the first. */
export function indexAt(times: readonly number[], ms: number): number {
  let [low, high] = [0, times.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((times[middle] ?? 0) <= ms) low = middle + 1
    else high = middle
  }
  return low - 1
}
