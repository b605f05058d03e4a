import { emptyList, type List, listPush } from '@throughline/protocol/list'
import type { QueryEvent } from '@throughline/protocol/query-event'
import { onNextAnimationFrame } from './animation-frame.ts'
import { callBack } from './call-back.ts'
import { asChatError } from './chat-error.ts'
import { decideApproval } from './decide-approval.ts'
import { Listeners } from './listeners.ts'
import { emptyQuery, ended, foldQuery, type QueryState } from './query-state.ts'
import { type QueryStreamOptions, queryStream } from './query-stream.ts'
import { stopSession } from './stop-session.ts'

export interface QueryStoreOptions extends Omit<QueryStreamOptions, 'signal' | 'messageId'> {
  readonly onFrame?: ((callback: () => void) => void) | undefined
}

/** What a page shows of a query, and every event that it has brought. */
export interface QuerySnapshot extends QueryState {
  /** A list that is never changed, so that one more event costs the same however many there are. */
  readonly eventList: List<QueryEvent>
}

const emptySnapshot: QuerySnapshot = { ...emptyQuery, eventList: emptyList() }

interface Asking {
  /** Aborts when nobody listens any more. */
  readonly listening: AbortController
  /** Aborts when another query is asked: a stop that is late must not hit that one. */
  readonly stopping: AbortController
  /** The session, as soon as the server has begun to answer; nothing when the query ended before. */
  readonly session: PromiseWithResolvers<string | undefined>
}

/**
 * One query at a time, as a page holds it. What a person does is shown at once; what the stream brings is shown once
 * per frame, however much it is.
 */
export class QueryStore {
  #options: QueryStoreOptions
  readonly #listeners = new Listeners()
  #asking: Asking | undefined
  #state = emptySnapshot
  #snapshot = emptySnapshot
  #frame: Promise<void> | undefined

  constructor(options: QueryStoreOptions = {}) {
    this.#options = options
  }

  getSnapshot = (): QuerySnapshot => this.#snapshot

  /** Calls the listener whenever there is a new snapshot. Returns a function that ends this. */
  subscribe = (listener: () => void): (() => void) => this.#listeners.add(listener)

  /** Changes what later queries are asked with. */
  update = (options: QueryStoreOptions): void => {
    this.#options = options
  }

  /**
   * Asks, instead of whatever was asked before. Resolves when the answer has ended and is shown, also when it failed
   * (that is in the snapshot) or was aborted. Never rejects.
   */
  query = async (message: string, sessionId?: string | null): Promise<void> => {
    this.#asking?.listening.abort()
    this.#asking?.stopping.abort()
    const asking: Asking = {
      listening: new AbortController(),
      stopping: new AbortController(),
      session: Promise.withResolvers(),
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
    // An answer that nobody listens to any more must not keep its session busy.
    const options = { onBusy: 'interrupt' as const, ...this.#options, signal, onSession }
    try {
      for await (const event of queryStream({ message, sessionId }, options)) {
        // It may have been aborted while the event was on its way to here.
        if (signal.aborted) return
        const eventList = listPush(this.#state.eventList, event)
        this.#change({ ...foldQuery(this.#state, event), eventList })
      }
    } catch (error) {
      // Whoever aborts it has said what is to be shown instead.
      if (signal.aborted) return
      this.#change(ended({ ...this.#state, error: asChatError(error) }))
    } finally {
      asking.session.resolve(undefined)
    }
    await this.#frame
  }

  /**
   * Stops the agent: its answer ends as `stopped`, and that comes like any other end. Nothing happens when nothing is
   * asked. Never rejects: that it could not be stopped is in the snapshot's `error`.
   */
  stop = async (): Promise<void> => {
    const asking = this.#asking
    if (asking === undefined || !this.#state.isStreaming) return
    const { signal } = asking.stopping
    // Before the server answers there may be no run yet, and a stop would find nothing to end.
    const sessionId = await asking.session.promise
    if (sessionId === undefined || signal.aborted) return
    try {
      // Not tied to listening: who asks for a stop and leaves has asked for it.
      await stopSession(sessionId, { ...this.#options, signal })
    } catch (error) {
      if (this.#asking === asking && !asking.listening.signal.aborted)
        this.#change({ error: asChatError(error) })
    }
  }

  /**
   * Answers one of the snapshot's `approvals`; that it is answered comes with the stream. Never rejects: that the answer
   * did not arrive is in the snapshot's `error`.
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

  /** Stops listening and keeps what has come; the agent goes on. Nothing happens when nothing is asked. */
  abort = (): void => {
    this.#asking?.listening.abort()
    if (!this.#state.isStreaming) return
    this.#state = { ...this.#state, ...ended(this.#state) }
    this.#show()
  }

  #change(changes: Partial<QuerySnapshot>): void {
    this.#state = { ...this.#state, ...changes }
    this.#frame ??= new Promise(resolve => {
      const { onFrame = onNextAnimationFrame } = this.#options
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
    this.#listeners.tell()
  }
}
