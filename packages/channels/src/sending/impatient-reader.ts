import type { Deadline } from './deadline.ts'

/**
 * Reads items one by one and can stop waiting for the next one. An item that comes too late is not lost: the next call
 * returns it. At most one item is asked for at a time.
 */
export class ImpatientReader<Item> {
  readonly #items: AsyncIterator<Item, void, undefined>
  #asked: Promise<IteratorResult<Item, void>> | undefined

  constructor(items: AsyncIterable<Item>) {
    this.#items = items[Symbol.asyncIterator]()
  }

  /** Waits for the next item; with a deadline only until it has passed. */
  async next(deadline?: Deadline): Promise<IteratorResult<Item, void> | 'late'> {
    this.#asked ??= this.#ask()
    const next = await (deadline === undefined ? this.#asked : Promise.race([this.#asked, deadline.passed]))
    if (next !== 'late') this.#asked = undefined
    return next
  }

  /** Ends the reading. Does not wait for an item that is on its way: that may never come. */
  close(): void {
    this.#items.return?.().catch(() => undefined)
  }

  #ask(): Promise<IteratorResult<Item, void>> {
    const asked = this.#items.next()
    // A failure is told to the next reader. Until then nobody may be listening.
    asked.catch(() => undefined)
    return asked
  }
}
