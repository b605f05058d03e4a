/**
 * Waits for a promise, but only until the signal aborts. Then throws the signal's reason. The work behind the promise
 * is not stopped; what becomes of it is ignored.
 */
export async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, resolve } = createDeferred<never>()
  const stop = () => resolve(Promise.reject(signal.reason))
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/**
 * Opens a source and passes its values on until the signal aborts. Then ends at once, even if the source hangs and
 * never looks at the signal itself. Opens nothing when the signal has aborted already. Throws what the source throws.
 */
export function iterateUntilAborted<T>(
  open: () => AsyncIterable<T>,
  signal: AbortSignal,
): AbortableIterator<T> {
  return new AbortableIterator(open, signal)
}

type Next<T> = IteratorResult<T, void>

// An iterator and not a generator: every event of every agent passes through here, and an iterator costs half as much.
// Not `AsyncIterableIterator`, which takes one type only before TypeScript 5.6.
export class AbortableIterator<T> implements AsyncIterator<T, void>, AsyncIterable<T> {
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

  /** The source gets `value`. In a generator, its `yield` returns it. */
  async next(value?: unknown): Promise<Next<T>> {
    if (this.#isOver || this.#signal.aborted) return this.#finish()
    try {
      const next = await this.#fromSource(value)
      return next.done === true ? this.#finish() : next
    } catch (error) {
      this.#finish()
      throw error
    }
  }

  async return(): Promise<Next<T>> {
    return this.#finish()
  }

  #fromSource(value: unknown): Promise<Next<T>> {
    return new Promise((resolve, reject) => {
      // Set before the source is asked: the source may cause the abort while it runs.
      this.#endWait = resolve
      this.#source ??= this.#opened()
      this.#source.next(value).then(resolve, reject)
    })
  }

  #opened(): AsyncIterator<T> {
    this.#signal.addEventListener('abort', this.#onAbort)
    return this.#open()[Symbol.asyncIterator]()
  }

  readonly #onAbort = (): void => this.#endWait?.(end)

  #finish(): Next<T> {
    this.#signal.removeEventListener('abort', this.#onAbort)
    // Not awaited: a source that hangs would make us hang too.
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
    // Nobody reads from this source any more, so nobody needs to hear of its failure.
  }
}

/** Returns the value of a promise, or `undefined` when it has none after `ms` milliseconds. */
export async function within<Value>(ms: number, promise: Promise<Value>): Promise<Value | undefined> {
  if (ms === Number.POSITIVE_INFINITY) return promise
  const { promise: late, resolve } = createDeferred<undefined>()
  const timer = setTimeout(() => resolve(undefined), ms)
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** How `pause` waits. */
interface PauseOptions {
  /** Whether the timer keeps a process of Node alive. Default: true. In a browser, leave it out. */
  readonly ref?: boolean
}

/** Waits for some milliseconds, or until the signal aborts. Never rejects. */
export async function pause(
  ms: number,
  signal?: AbortSignal,
  { ref = true }: PauseOptions = {},
): Promise<void> {
  if (signal?.aborted === true) return
  const { promise, resolve } = createDeferred<unknown>()
  const timer = setTimeout(resolve, ms)
  if (!ref) timer.unref()
  signal?.addEventListener('abort', resolve)
  await promise
  clearTimeout(timer)
  signal?.removeEventListener('abort', resolve)
}

/** A promise, and the function that resolves it. */
export interface Deferred<Value> {
  readonly promise: Promise<Value>
  readonly resolve: (value: Value | PromiseLike<Value>) => void
}

/** Does what `Promise.withResolvers` does. Node 20 and browsers of 2023 do not have that function. */
export function createDeferred<Value>(): Deferred<Value> {
  let resolve: Deferred<Value>['resolve'] = () => undefined
  // A promise calls this function before its constructor returns. So what is returned is the promise's own `resolve`.
  const promise = new Promise<Value>(own => {
    resolve = own
  })
  return { promise, resolve }
}
