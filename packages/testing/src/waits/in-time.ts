import { inspect } from 'node:util'
import { realTime, waitLimitMs } from './wait-limit.ts'

export interface InTimeOptions {
  /** Returns what there is so far, for the message. */
  readonly seen?: () => unknown
  /** Default: see `waitLimitMs`. */
  readonly limitMs?: number
}

/**
 * Returns the result of work that should end by itself. Throws with what there is so far when the time is over.
 * @param what What is waited for, for the message: "the follower has the end of the log".
 */
export async function inTime<Result>(
  what: string,
  work: Promise<Result>,
  { seen, limitMs = waitLimitMs() }: InTimeOptions = {},
): Promise<Result> {
  const late = Promise.withResolvers<never>()
  const cancel = realTime.after(limitMs, () => {
    const soFar = seen === undefined ? '' : ` So far: ${inspect(seen(), { depth: 6 })}`
    late.reject(new Error(`Waited ${limitMs} ms until ${what}.${soFar}`))
  })
  try {
    return await Promise.race([work, late.promise])
  } finally {
    cancel()
  }
}
