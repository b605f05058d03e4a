/** A mutex for each key: does one piece of work per key at a time, in the order of the calls. */
export class KeyedMutex<Key> {
  /** The last work of each key where some is under way. */
  readonly #last = new Map<Key, Promise<unknown>>()

  /**
   * Does the work when all work before it with the same key has ended, with success or not. Returns what it returns. When
   * there is none before it, the work begins at once, before the call returns.
   */
  run<Result>(key: Key, work: () => Promise<Result>): Promise<Result> {
    const before = this.#last.get(key)
    const result = before === undefined ? work() : before.then(work, work)
    const forget = () => {
      if (this.#last.get(key) === result) this.#last.delete(key)
    }
    this.#last.set(key, result)
    result.then(forget, forget)
    return result
  }
}

/** Does a piece of work as soon as there is room for it, and returns what the work returns. */
export type ConcurrencyLimit = <Result>(work: () => Promise<Result>) => Promise<Result>

/**
 * Returns a function that does at most `count` pieces of work at the same time (a semaphore). The others wait in a queue,
 * and go on in the order of the calls. Work that need not wait begins at once, before the call returns.
 */
export function limitConcurrency(count: number): ConcurrencyLimit {
  const waiting: (() => void)[] = []
  let free = count

  /** Passes the place on to the work that has waited longest. */
  function leave(): void {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }

  return async work => {
    if (free > 0) free -= 1
    else await new Promise<void>(go => waiting.push(go))
    try {
      return await work()
    } finally {
      leave()
    }
  }
}

/** Resolves before the process looks at other events, or after it has done so. */
type Yield = () => Promise<void>

/**
 * Returns a function that yields to the event loop after every `count` calls: it resolves at once for the first `count`
 * callers, and for `count` more each time the event loop has gone around, in the order of the calls. When many pieces of such
 * work come together, other events of the process are handled between them.
 */
export function yieldEvery(count: number): Yield {
  const waiting: (() => void)[] = []
  /** How many callers have gone on since the event loop last went around. */
  let gone = 0

  function goAround(): void {
    const going = waiting.splice(0, count)
    gone = going.length
    if (gone > 0) setImmediate(goAround)
    for (const go of going) go()
  }

  return async () => {
    if (gone === count) return await new Promise<void>(go => waiting.push(go))
    if (gone === 0) setImmediate(goAround)
    gone += 1
  }
}
