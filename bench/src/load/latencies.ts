import { z } from 'zod'

const fineMs = 1_000
const finePerMs = 10
const maxMs = 100_000
const fineBuckets = fineMs * finePerMs

/** Latencies as pairs of a bucket and a count: a form that can be sent to another process. */
export const latencyPairs = z.array(z.tuple([z.number(), z.number()]))

/** Counts latencies: in steps of 0.1 ms up to a second, then in steps of 1 ms up to 100 seconds. */
export class Latencies {
  readonly #counts = new Float64Array(fineBuckets + maxMs - fineMs + 1)
  #total = 0

  add(ms: number, count = 1): void {
    this.#addTo(bucketOf(ms), count)
  }

  addPairs(pairs: z.infer<typeof latencyPairs>): void {
    for (const [bucket, count] of pairs) this.#addTo(bucket, count)
  }

  pairs(): z.infer<typeof latencyPairs> {
    const found: [number, number][] = []
    for (const [bucket, count] of this.#counts.entries()) if (count > 0) found.push([bucket, count])
    return found
  }

  /** Returns the latency that this share of all values does not exceed, in milliseconds. NaN if there are no values. */
  percentile(share: number): number {
    let left = Math.ceil(this.#total * share)
    if (left === 0) return Number.NaN
    for (const [bucket, count] of this.#counts.entries()) {
      left -= count
      if (left <= 0) return upperEdge(bucket)
    }
    return maxMs
  }

  #addTo(bucket: number, count: number): void {
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + count
    this.#total += count
  }
}

function bucketOf(ms: number): number {
  // Two processes may read the clock in the same moment with a tiny difference, so a latency may be just below 0.
  if (ms < 0) return 0
  if (ms < fineMs) return Math.floor(ms * finePerMs)
  return fineBuckets + Math.min(Math.floor(ms) - fineMs, maxMs - fineMs)
}

function upperEdge(bucket: number): number {
  return bucket < fineBuckets ? (bucket + 1) / finePerMs : bucket - fineBuckets + fineMs + 1
}
