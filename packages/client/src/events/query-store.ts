import type { QueryEvent } from '@throughline/protocol'
import { createDeferred, type Deferred, emptyList, type List, listPush } from '@throughline/protocol/internal'
import { asChatError } from '../http/chat-error.ts'
import { callBack, Listeners, onNextAnimationFrame } from '../page/callbacks.ts'
import { emptyQuery, ended, foldQuery, type QueryState } from './query-state.ts'
import { type QueryStreamOptions, queryStream } from './query-stream.ts'
import { decideApproval, stopSession } from './session-requests.ts'

/** The options of `useAgentStream` and of a `QueryStore`. */
export interface QueryStoreOptions extends Omit<QueryStreamOptions, 'signal' | 'messageId'> {
  /**
   * Calls back once at the next animation frame; then the snapshot changes. Default: `requestAnimationFrame`, or a
   * timer of 16 ms where nothing is painted.
   */
  readonly onFrame?: ((callback: () => void) => void) | undefined
}

/** What a page shows of a query, with all of its events. */
export interface QuerySnapshot extends QueryState {
  /** All events so far. An immutable list, so that adding an event costs the same however many there are. */
  readonly eventList: List<QueryEvent>
}

const emptySnapshot: QuerySnapshot = { ...emptyQuery, eventList: emptyList() }

interface Asking {
  /** Aborted when nobody listens to the query any more. */
  readonly listening: AbortController
  /** Aborted when another query begins. A late request to stop this query must not stop that one. */
  readonly stopping: AbortController
  /** Resolves with the session's id when the response begins; with `undefined` when the query ended before that. */
  readonly session: Deferred<string | undefined>
}

/**
 * The queries of a page, one at a time. What a person does is shown at once. The events of the stream are shown once per
 * animation frame, however many events there were.
 */
export class QueryStore {
  #options: QueryStoreOptions
  readonly #listeners = new Listeners()
  #asking: Asking | undefined
  #state = emptySnapshot
  #snapshot = emptySnapshot
  #animationFrame: Promise<void> | undefined

  constructor(options: QueryStoreOptions = {}) {
    this.#options = options
  }

  /** Returns what to show now. The same object until something has changed. */
  getSnapshot = (): QuerySnapshot => this.#snapshot

  /** Calls the listener whenever there is a new snapshot. Returns a function that ends this. */
  subscribe = (listener: () => void): (() => void) => this.#listeners.add(listener)

  /** Replaces the options for later queries. */
  update = (options: QueryStoreOptions): void => {
    this.#options = options
  }

  /**
   * Asks a question, and no longer listens to the one before. Without a `sessionId`, a new session is created. Resolves
   * when the answer has ended and is shown, also when it failed or was aborted. Never rejects: an error is in the
   * snapshot.
   */
  query = async (message: string, sessionId?: string | null): Promise<void> => {
    this.#asking?.listening.abort()
    this.#asking?.stopping.abort()
    const asking: Asking = {
      listening: new AbortController(),
      stopping: new AbortController(),
      session: createDeferred(),
    }
    this.#asking = asking
    this.#state = { ...emptySnapshot, isStreaming: true, sessionId: sessionId ?? undefined }
    this.#show()
    const { signal } = asking.listening
    const onSession = (id: string) => {
      asking.session.resolve(id)
      this.#change({ sessionId: id })
      callBack(this.#options.onSession, id)
    }
    // The answer before may still be written, although nobody listens to it. It must not keep its session busy.
    const options = { onBusy: 'interrupt' as const, ...this.#options, signal, onSession }
    try {
      for await (const event of queryStream({ message, sessionId }, options)) {
        // The signal may have aborted since the event was yielded.
        if (signal.aborted) return
        const eventList = listPush(this.#state.eventList, event)
        this.#change({ ...foldQuery(this.#state, event), eventList })
      }
    } catch (error) {
      // An abort is no error: `abort` or the next `query` has set what to show.
      if (signal.aborted) return
      this.#change(ended({ ...this.#state, error: asChatError(error) }))
    } finally {
      asking.session.resolve(undefined)
    }
    await this.#animationFrame
  }

  /**
   * Stops the agent. The end of its answer then comes with the stream, with `cutShort: 'stopped'`. Nothing happens when
   * no answer is being written. Never rejects: when the agent could not be stopped, that is the snapshot's `error`.
   */
  stop = async (): Promise<void> => {
    const asking = this.#asking
    if (asking === undefined || !this.#state.isStreaming) return
    const { signal } = asking.stopping
    // Before the response begins there may be no run yet, and then a request to stop it would do nothing.
    const sessionId = await asking.session.promise
    if (sessionId === undefined || signal.aborted) return
    try {
      // Not aborted by `abort`: when a person stops the agent and leaves at once, the agent must still stop.
      await stopSession(sessionId, { ...this.#options, signal })
    } catch (error) {
      if (this.#asking === asking && !asking.listening.signal.aborted)
        this.#change({ error: asChatError(error) })
    }
  }

  /**
   * Decides on one of the snapshot's `approvals`. It leaves that list when the stream confirms it. Never rejects: when
   * the decision could not be sent, that is the snapshot's `error`.
   */
  approve = async (approvalId: string, approved = true, reason?: string): Promise<void> => {
    const asking = this.#asking
    const sessionId = await asking?.session.promise
    if (sessionId === undefined) return
    try {
      await decideApproval({ sessionId, approvalId, approved, reason }, this.#options)
    } catch (error) {
      if (this.#asking === asking) this.#change({ error: asChatError(error) })
    }
  }

  /** Stops listening, and keeps what has come. The agent goes on. Nothing happens when no answer is being written. */
  abort = (): void => {
    this.#asking?.listening.abort()
    if (!this.#state.isStreaming) return
    this.#state = { ...this.#state, ...ended(this.#state) }
    this.#show()
  }

  #change(changes: Partial<QuerySnapshot>): void {
    this.#state = { ...this.#state, ...changes }
    this.#animationFrame ??= new Promise(resolve => {
      const { onFrame = onNextAnimationFrame } = this.#options
      onFrame(() => {
        this.#animationFrame = undefined
        this.#show()
        resolve()
      })
    })
  }

  #show(): void {
    if (this.#snapshot === this.#state) return
    this.#snapshot = this.#state
    this.#listeners.tell()
  }
}
