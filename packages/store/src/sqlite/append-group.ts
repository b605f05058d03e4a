import type { AppendWork } from './thread-messages.ts'

/** One append to a log. */
export interface Append {
  readonly epoch: string
  /** The number of the first entry. */
  readonly first: number
  readonly count: number
  readonly at: number
  /** The entries, as `encodeEntries` writes them. */
  readonly body: string
}

interface Waiter {
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

interface Columns {
  readonly epochs: string[]
  readonly firsts: number[]
  readonly counts: number[]
  readonly ats: number[]
  readonly bodies: string[]
}

/**
 * Appends that go to the thread of the database as one job. They are committed together, so they have one result. What
 * costs most about a message is the number of its objects: so the group is sent as columns.
 */
export class AppendGroup {
  readonly #columns: Columns = { epochs: [], firsts: [], counts: [], ats: [], bodies: [] }
  readonly #waiters: Waiter[] = []

  get count(): number {
    return this.#waiters.length
  }

  get work(): AppendWork {
    return { type: 'append', ...this.#columns }
  }

  /** Adds an append. Resolves when the group is durable. */
  add({ epoch, first, count, at, body }: Append): Promise<void> {
    const { epochs, firsts, counts, ats, bodies } = this.#columns
    epochs.push(epoch)
    firsts.push(first)
    counts.push(count)
    ats.push(at)
    bodies.push(body)
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }))
  }

  readonly resolve = (): void => {
    for (const { resolve } of this.#waiters) resolve()
  }

  readonly reject = (error: Error): void => {
    for (const { reject } of this.#waiters) reject(error)
  }
}
