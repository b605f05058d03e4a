/**
 * Opens a source and passes it on until the signal aborts, and then ends at once, also when the source hangs
 * and never looks at the signal itself.
 */
export function untilAborted<T>(open: () => AsyncIterable<T>, signal: AbortSignal): UntilAborted<T> {
  return new UntilAborted(open, signal)
}

type Next<T> = IteratorResult<T, void>

// An iterator and not a generator: every event of every agent comes through here, and this costs half as much.
export class UntilAborted<T> implements AsyncIterableIterator<T, void> {
  readonly #open: () => AsyncIterable<T>
  readonly #signal: AbortSignal
  #source: AsyncIterator<T> | undefined
  #isOver = false
  /** Ends the wait for the value that was asked for last. */
  #endWait: ((end: Next<T>) => void) | undefined

  constructor(open: () => AsyncIterable<T>, signal: AbortSignal) {
    this.#open = open
    this.#signal = signal
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<Next<T>> {
    if (this.#isOver || this.#signal.aborted) return this.#finish()
    try {
      const next = await this.#fromSource()
      return next.done === true ? this.#finish() : next
    } catch (error) {
      this.#finish()
      throw error
    }
  }

  async return(): Promise<Next<T>> {
    return this.#finish()
  }

  #fromSource(): Promise<Next<T>> {
    return new Promise((resolve, reject) => {
      // First, since the source may lead to the abort before it answers.
      this.#endWait = resolve
      this.#source ??= this.#opened()
      this.#source.next().then(resolve, reject)
    })
  }

  #opened(): AsyncIterator<T> {
    this.#signal.addEventListener('abort', this.#onAbort)
    return this.#open()[Symbol.asyncIterator]()
  }

  readonly #onAbort = (): void => this.#endWait?.(end)

  #finish(): Next<T> {
    this.#signal.removeEventListener('abort', this.#onAbort)
    // Not awaited: a source that hangs would hang us too.
    if (!this.#isOver && this.#source !== undefined) void leave(this.#source)
    this.#isOver = true
    return end
  }
}

const end = { done: true, value: undefined } as const

async function leave(source: AsyncIterator<unknown>): Promise<void> {
  try {
    await source.return?.()
  } catch {
    // What fails in a source that is left no longer interests anyone.
  }
}
