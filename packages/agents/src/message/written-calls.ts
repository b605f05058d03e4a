import { MissingToolCallError } from '../errors/agent-errors.ts'

/** What the waits for written calls need. */
export interface WrittenCallsOptions {
  /** How long a wait lasts while nothing is written, in milliseconds. */
  readonly maxWaitMs: number
  /** Returns how often something has been written; `undefined` while something is being written. */
  readonly writeCount: () => number | undefined
}

/** A tool that waits for its call to be written. */
interface Wait {
  readonly toolName: string
  readonly written: PromiseWithResolvers<string>
}

/**
 * Lets tools wait until their calls have been written. The n-th wait for an id ends with the n-th call under that id:
 * some models number the calls of every step from zero, and a tool can begin before its call has been written.
 */
export class WrittenCalls {
  readonly #options: WrittenCallsOptions
  /** The ids on the stream of calls for which no tool has asked yet, by the id of the call. */
  readonly #unclaimed = new Map<string, string[]>()
  readonly #waits = new Map<string, Wait[]>()
  #isOver = false

  constructor(options: WrittenCallsOptions) {
    this.#options = options
  }

  /** A call has been written. `streamedId` is its id on the stream. */
  add(toolCallId: string, streamedId: string): void {
    const first = this.#waits.get(toolCallId)?.shift()
    if (first === undefined) listIn(this.#unclaimed, toolCallId).push(streamedId)
    else first.written.resolve(streamedId)
  }

  /**
   * Resolves to the call's id on the stream. Rejects when the message ends first, and with a `MissingToolCallError` when
   * nothing at all has been written for too long.
   */
  async next(toolCallId: string, toolName: string): Promise<string> {
    const streamedId = this.#unclaimed.get(toolCallId)?.shift()
    if (streamedId !== undefined) return streamedId
    if (this.#isOver) throw messageEnded()
    const wait = { toolName, written: Promise.withResolvers<string>() }
    listIn(this.#waits, toolCallId).push(wait)
    const stopWatching = this.#watch(toolCallId, wait)
    try {
      return await wait.written.promise
    } finally {
      stopWatching()
    }
  }

  /** No call will be written any more. */
  end(): void {
    this.#isOver = true
    for (const { written } of [...this.#waits.values()].flat()) written.reject(messageEnded())
    this.#waits.clear()
  }

  // An agent that waits for the tool itself yields nothing any more, so the wait would never end. Nothing but time tells
  // such an agent from one whose events are on their way. Time in which something is written does not count: a slow log
  // says nothing about the agent.
  #watch(toolCallId: string, wait: Wait): () => void {
    const { maxWaitMs, writeCount } = this.#options
    let before = writeCount()
    const timer = setInterval(() => {
      const now = writeCount()
      if (now !== undefined && now === before) this.#giveUp(toolCallId, wait)
      before = now
    }, maxWaitMs)
    return () => clearInterval(timer)
  }

  #giveUp(toolCallId: string, wait: Wait): void {
    const others = this.#waits.get(toolCallId)?.filter(each => each !== wait) ?? []
    this.#waits.set(toolCallId, others)
    wait.written.reject(new MissingToolCallError(wait.toolName, toolCallId))
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
