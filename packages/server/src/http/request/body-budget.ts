import { getHeapStatistics } from 'node:v8'
import { ProblemError } from '@throughline/protocol'

const megabyte = 1024 * 1024

interface BudgetOptions {
  /** How many bytes of bodies may be in memory at a time. */
  readonly maxBytes: number
  /** How many bytes of each body do not count: small bodies are always taken. */
  readonly freeBytes: number
}

/**
 * Limits the memory for the bodies of all requests together. A body that does not fit any more is refused, and does not
 * wait: those who wait for each other, each with a part of a body, would never end.
 */
export class BodyBudget {
  readonly #options: BudgetOptions
  #countedBytes = 0

  constructor(options: BudgetOptions) {
    this.#options = options
  }

  /** Holds the memory for one body until it is disposed of. */
  hold(): HeldBody {
    const { maxBytes, freeBytes } = this.#options
    let bytes = 0
    let counted = 0
    return {
      add: more => {
        bytes += more
        const toCount = Math.max(0, bytes - freeBytes) - counted
        if (this.#countedBytes + toCount > maxBytes && toCount > 0) throw serverBusy()
        counted += toCount
        this.#countedBytes += toCount
      },
      [Symbol.dispose]: () => {
        this.#countedBytes -= counted
        counted = 0
      },
    }
  }
}

/** The memory that the body of one request holds. */
export interface HeldBody extends Disposable {
  /** Throws a 503 problem when the bodies of all requests are too large together. */
  add(bytes: number): void
}

/**
 * For the bodies of people who are signed in. A body is in memory about six times before its files are saved, so they get
 * an eighth of the heap, and enough for one of the largest.
 */
export function bodiesOfPeople(): BodyBudget {
  const share = getHeapStatistics().heap_size_limit / 8
  const maxBytes = Math.min(256 * megabyte, Math.max(48 * megabyte, share))
  return new BodyBudget({ maxBytes, freeBytes: 64 * 1024 })
}

/** For bodies of strangers, whose signature can only be checked when they are read. */
export function bodiesOfStrangers(): BodyBudget {
  return new BodyBudget({ maxBytes: 16 * megabyte, freeBytes: 4 * 1024 })
}

function serverBusy(): ProblemError {
  return new ProblemError(
    503,
    'server-busy',
    'The server is reading as many large bodies as it has memory for. Send this one again in a few seconds.',
  )
}
