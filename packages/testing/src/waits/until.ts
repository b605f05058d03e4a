import { inspect } from 'node:util'
import { realTime, waitLimitMs } from './wait-limit.ts'

export interface UntilOptions<Seen> {
  /** What is waited for, for the message: "the browser is closed". Default: the text of `look`. */
  readonly what?: string
  /** Default: whether it is truthy. */
  readonly isExpected?: (seen: Seen) => boolean
  /** Default: see `waitLimitMs`. */
  readonly limitMs?: number
  /** Between two looks. Default: 20. */
  readonly everyMs?: number
}

/**
 * Looks again and again until what it sees is as expected, and returns that. Throws with what it saw last when the time is
 * over. A look that throws, or sees nothing, has not seen it yet.
 */
export async function until<Seen>(
  look: () => Seen | Promise<Seen>,
  { what = `${look}`, isExpected = Boolean, limitMs = waitLimitMs(), everyMs = 20 }: UntilOptions<Seen> = {},
): Promise<NonNullable<Seen>> {
  const endsAt = realTime.now() + limitMs
  for (;;) {
    const { seen, error } = await tried(look)
    const value = seen?.value
    if (value !== undefined && value !== null && isExpected(value)) return value
    if (realTime.now() > endsAt) {
      const last = seen === undefined ? `it threw: ${error}` : inspect(seen.value, { depth: 6 })
      throw new Error(`Waited ${limitMs} ms until ${what}. Seen last: ${last}`, { cause: error })
    }
    await realTime.pause(everyMs)
  }
}

async function tried<Seen>(look: () => Seen | Promise<Seen>) {
  try {
    return { seen: { value: await look() }, error: undefined }
  } catch (error) {
    return { seen: undefined, error }
  }
}
