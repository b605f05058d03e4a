/**
 * Tells tools when their calls have been written. The n-th question about an id is answered by the n-th call under that
 * id: some models number the calls of every step from zero, and tools can be ahead of what has been written.
 */
export class WrittenCalls {
  readonly #untold = new Map<string, string[]>()
  readonly #asked = new Map<string, PromiseWithResolvers<string>[]>()
  #isOver = false

  /** A call has been written; `streamedId` is its id on the stream. */
  add(toolCallId: string, streamedId: string): void {
    const first = this.#asked.get(toolCallId)?.shift()
    if (first === undefined) listIn(this.#untold, toolCallId).push(streamedId)
    else first.resolve(streamedId)
  }

  /** Resolves to the call's id on the stream. Rejects when the message ends first: then the call is not written any more. */
  next(toolCallId: string): Promise<string> {
    const streamedId = this.#untold.get(toolCallId)?.shift()
    if (streamedId !== undefined) return Promise.resolve(streamedId)
    if (this.#isOver) return Promise.reject(messageEnded())
    const question = Promise.withResolvers<string>()
    listIn(this.#asked, toolCallId).push(question)
    return question.promise
  }

  /** No call will be written any more. */
  end(): void {
    this.#isOver = true
    for (const { reject } of [...this.#asked.values()].flat()) reject(messageEnded())
    this.#asked.clear()
  }
}

function listIn<Item>(lists: Map<string, Item[]>, key: string): Item[] {
  const list = lists.get(key) ?? []
  lists.set(key, list)
  return list
}

function messageEnded(): Error {
  return new Error('The answer ended before this call could begin.')
}
