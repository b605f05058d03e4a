import { createDeferred, type Deferred } from '@throughline/protocol/internal'

const capacity = 16

/** Hands parts from several writers to one reader, in the order in which they were put in. */
export class PartQueue<Part> {
  readonly #parts: Part[] = []
  #end: { readonly error?: unknown } | undefined
  /** Set while the reader waits for a part. */
  #waitingReader: Deferred<void> | undefined
  /** Set while a writer waits for room. */
  #waitingWriters: Deferred<void> | undefined

  /**
   * Puts a part in. A writer must await what this returns: `undefined`, or a promise that resolves when there is room for
   * the next part (back pressure).
   */
  put(part: Part): Promise<void> | undefined {
    if (this.#end !== undefined) return undefined
    this.#parts.push(part)
    this.#wakeReader()
    if (this.#parts.length < capacity) return undefined
    this.#waitingWriters ??= createDeferred()
    return this.#waitingWriters.promise
  }

  /** Ends the queue. The reader gets the parts that are still in it, and then the error, if there is one. */
  end(failure: { readonly error?: unknown } = {}): void {
    this.#end ??= failure
    this.#wakeReader()
    this.#wakeWriters()
  }

  /** Returns the next part. Throws the error of the end. Only one call may be under way at a time. */
  async next(): Promise<IteratorResult<Part, void>> {
    for (;;) {
      const part = this.#parts.shift()
      if (part !== undefined) {
        this.#wakeWriters()
        return { done: false, value: part }
      }
      if (this.#end !== undefined) {
        if ('error' in this.#end) throw this.#end.error
        return { done: true, value: undefined }
      }
      this.#waitingReader = createDeferred()
      await this.#waitingReader.promise
    }
  }

  #wakeReader(): void {
    this.#waitingReader?.resolve()
    this.#waitingReader = undefined
  }

  #wakeWriters(): void {
    this.#waitingWriters?.resolve()
    this.#waitingWriters = undefined
  }
}
