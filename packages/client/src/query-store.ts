import { asChatError } from './chat-error.ts'
import { onNextFrame } from './frame.ts'
import { emptyQuery, ended, foldQuery, type QueryState } from './query-state.ts'
import { type QueryStreamOptions, queryStream } from './query-stream.ts'

export interface QueryStoreOptions extends Omit<QueryStreamOptions, 'signal' | 'onSession'> {
  readonly onFrame?: ((callback: () => void) => void) | undefined
}

/**
 * One query at a time, as a page holds it. What a person does is shown at once; what the stream brings is shown once
 * per frame, however much it is.
 */
export class QueryStore {
  #options: QueryStoreOptions
  readonly #listeners = new Set<() => void>()
  #asking: AbortController | undefined
  #state = emptyQuery
  #snapshot = emptyQuery
  #frame: Promise<void> | undefined

  constructor(options: QueryStoreOptions = {}) {
    this.#options = options
  }

  getSnapshot = (): QueryState => this.#snapshot

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Changes what later queries are asked with. */
  update = (options: QueryStoreOptions): void => {
    this.#options = options
  }

  /**
   * Asks, instead of whatever was asked before. Resolves when the answer has ended and is shown, also when it failed
   * (that is in the snapshot) or was aborted. Never rejects.
   */
  query = async (message: string, sessionId?: string | null): Promise<void> => {
    this.#asking?.abort()
    const asking = new AbortController()
    this.#asking = asking
    this.#state = { ...emptyQuery, isStreaming: true, sessionId: sessionId ?? undefined }
    this.#show()
    const { signal } = asking
    const onSession = (id: string) => this.#change({ ...this.#state, sessionId: id })
    // An answer that nobody listens to any more must not keep its session busy.
    const options = { onBusy: 'interrupt' as const, ...this.#options, signal, onSession }
    try {
      for await (const event of queryStream({ message, sessionId }, options)) {
        // It may have been aborted while the event was on its way to here.
        if (signal.aborted) return
        this.#change(foldQuery(this.#state, event))
      }
    } catch (error) {
      // Whoever aborts it has said what is to be shown instead.
      if (signal.aborted) return
      this.#change(ended({ ...this.#state, error: asChatError(error) }))
    }
    await this.#frame
  }

  /** Stops listening and keeps what has come. Nothing happens when nothing is asked. */
  abort = (): void => {
    this.#asking?.abort()
    if (!this.#state.isStreaming) return
    this.#state = ended(this.#state)
    this.#show()
  }

  #change(state: QueryState): void {
    this.#state = state
    this.#frame ??= new Promise(resolve => {
      const { onFrame = onNextFrame } = this.#options
      onFrame(() => {
        this.#frame = undefined
        this.#show()
        resolve()
      })
    })
  }

  #show(): void {
    if (this.#snapshot === this.#state) return
    this.#snapshot = this.#state
    for (const listener of this.#listeners) listener()
  }
}
