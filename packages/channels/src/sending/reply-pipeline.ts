import { type Coalesced, Coalescer, type CoalescerOptions } from './coalescer.ts'
import { hasContent, keyInMessage, type ReplyPayload } from './payloads.ts'
import { SentBlockKeys } from './sent-block-keys.ts'
import { type StartTimer, startTimer } from './start-timer.ts'
import { untilAborted } from './until-aborted.ts'

export interface ReplyPipelineOptions {
  /** Sends one message; resolves once the channel has confirmed it. The signal says not to wait any longer. */
  readonly send: (payload: ReplyPayload, signal: AbortSignal) => Promise<unknown>
  /** How long a send may take. Then the pipeline aborts: what is left is for the final payloads. */
  readonly timeoutMs?: number
  /** Joins short texts before they are sent. Without it, every payload is a message. */
  readonly coalesce?: CoalescerOptions
  /** How long to wait before a message that is not the first, as a person would. */
  readonly pauseMs?: (payload: ReplyPayload) => number
  readonly signal?: AbortSignal
  readonly debug?: (message: string) => void
  readonly startTimer?: StartTimer
}

/** Sends the blocks of an answer to a channel while it is being written. */
export interface ReplyPipeline {
  /** Takes a payload; one that was taken before is ignored. */
  enqueue(payload: ReplyPayload): void
  /** Resolves when what was taken so far is sent, or will not be; with `force` also what waits to be joined. */
  flush(options?: { readonly force?: boolean }): Promise<void>
  /** Takes nothing more, and flushes with `force`. */
  stop(): Promise<void>
  /** Whether anything waits or is being sent. */
  hasBuffered(): boolean
  /** Whether the channel has confirmed anything of the answer. */
  didStream(): boolean
  isAborted(): boolean
  hasSentPayload(payload: ReplyPayload): boolean
  /** What of a payload the channel has not confirmed. */
  unsentOf(payload: ReplyPayload): ReplyPayload | undefined
  /** What was taken and not confirmed by the channel, in order, without notices. */
  unsentPayloads(): readonly ReplyPayload[]
}

/**
 * One send at a time, in order. A payload counts as sent when the channel has confirmed it, and not before. After a
 * send that failed or took too long nothing else of the answer is sent, so that nothing arrives out of order:
 * `finalPayloads` has the rest.
 */
export function createReplyPipeline(options: ReplyPipelineOptions): ReplyPipeline {
  return new SendQueue(options)
}

class SendQueue implements ReplyPipeline {
  readonly #options: Required<Omit<ReplyPipelineOptions, 'coalesce' | 'signal'>>
  readonly #abort = new AbortController()
  readonly #signal: AbortSignal
  readonly #coalescer: Coalescer | undefined
  readonly #seen = new Set<string>()
  readonly #pending = new Set<ReplyPayload>()
  readonly #sent = new SentBlockKeys()
  readonly #queue: Coalesced[] = []
  #sending: Promise<void> | undefined
  #hasBegun = false
  #hasFailed = false
  #isStopped = false

  constructor({ coalesce, signal, ...options }: ReplyPipelineOptions) {
    this.#options = { timeoutMs: 15_000, pauseMs: () => 0, debug: () => {}, startTimer, ...options }
    this.#signal = signal === undefined ? this.#abort.signal : AbortSignal.any([signal, this.#abort.signal])
    const coalescerOptions = { startTimer: this.#options.startTimer, ...coalesce }
    if (coalesce !== undefined)
      this.#coalescer = new Coalescer(joined => this.#push(joined), coalescerOptions)
  }

  enqueue(payload: ReplyPayload): void {
    const key = payload.id ?? `${payload.isStatus === true ? 'notice' : 'content'} ${keyInMessage(payload)}`
    if (this.#isStopped || !hasContent(payload) || this.#seen.has(key)) return
    this.#seen.add(key)
    if (payload.isStatus !== true) this.#pending.add(payload)
    if (this.#coalescer === undefined) this.#push({ payload, parts: [payload] })
    else this.#coalescer.enqueue(payload)
  }

  async flush({ force = false }: { readonly force?: boolean } = {}): Promise<void> {
    if (force) this.#coalescer?.flush()
    await this.#sending
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await this.flush({ force: true })
  }

  hasBuffered(): boolean {
    return this.#sending !== undefined || this.#coalescer?.hasBuffered() === true
  }

  didStream(): boolean {
    return !this.#sent.isEmpty
  }

  isAborted(): boolean {
    return this.#signal.aborted
  }

  hasSentPayload(payload: ReplyPayload): boolean {
    return this.#sent.has(payload)
  }

  unsentOf(payload: ReplyPayload): ReplyPayload | undefined {
    return this.#sent.unsentOf(payload)
  }

  unsentPayloads(): readonly ReplyPayload[] {
    return [...this.#pending]
  }

  #push(joined: Coalesced): void {
    this.#queue.push(joined)
    this.#sending ??= this.#sendAll()
  }

  async #sendAll(): Promise<void> {
    // Not in the same turn: the end below has to come after this promise was put into `#sending`.
    await Promise.resolve()
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      const isHeld = this.#hasFailed && next.payload.isStatus !== true
      if (!isHeld && !this.isAborted()) await this.#sendInTime(next)
    }
    this.#sending = undefined
  }

  async #sendInTime(joined: Coalesced): Promise<void> {
    const { startTimer: start, timeoutMs, pauseMs, debug } = this.#options
    let stopTimer = () => {}
    try {
      if (this.#hasBegun) await this.#pause(pauseMs(joined.payload))
      this.#hasBegun = true
      stopTimer = start(() => this.#abort.abort(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs)
      await untilAborted(this.#send(joined), this.#signal)
    } catch (error) {
      if (joined.payload.isStatus !== true) this.#hasFailed = true
      debug(`A message was not sent: ${String(error)}`)
    } finally {
      stopTimer()
    }
  }

  /** Also counts when nobody waits for it any more: a late message has arrived all the same. */
  async #send({ payload, parts }: Coalesced): Promise<void> {
    await this.#options.send(payload, this.#signal)
    for (const part of parts) {
      this.#pending.delete(part)
      this.#sent.add(part)
    }
  }

  async #pause(ms: number): Promise<void> {
    if (ms <= 0) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const stopTimer = this.#options.startTimer(resolve, ms)
    await untilAborted(promise, this.#signal).finally(stopTimer)
  }
}
