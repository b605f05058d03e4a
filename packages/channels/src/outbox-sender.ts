import { type Channel, ChannelError, type Message } from './channel.ts'
import type { Outbox, OutboxItem } from './outbox.ts'
import { type StartTimer, startTimer } from './start-timer.ts'
import { untilAborted } from './until-aborted.ts'

export interface OutboxSenderOptions {
  readonly channel: Channel
  readonly target: string
  readonly outbox: Outbox
  readonly runId: string
  /** What the channel is to show for an item. */
  readonly messageOf: (body: string) => Promise<Message>
  readonly report: (error: unknown, what: string) => void
  readonly signal: AbortSignal
  /** How long one attempt may take. */
  readonly timeoutMs?: number | undefined
  /** How long to try before an item is given up. */
  readonly giveUpMs?: number | undefined
  readonly startTimer?: StartTimer | undefined
  readonly now?: (() => number) | undefined
}

/**
 * Sends items in order. Each is written down before it is sent, and settled only when the channel has confirmed it; an
 * item goes out under the same key however often it is tried, and by whichever process.
 */
export class OutboxSender {
  readonly #options: OutboxSenderOptions
  readonly #items: OutboxItem[]

  constructor(options: OutboxSenderOptions, known: readonly OutboxItem[]) {
    this.#options = options
    this.#items = [...known]
  }

  /** All items of the run so far, with how they stand. */
  get items(): readonly OutboxItem[] {
    return this.#items
  }

  /** Writes an item down. From here on it is sent, by this process or the next. */
  async keep(body: string): Promise<OutboxItem> {
    const { outbox, runId } = this.#options
    const item: OutboxItem = {
      runId,
      index: this.#items.length,
      body,
      status: 'pending',
      receipt: undefined,
    }
    this.#items.push(item)
    await outbox.add(item)
    return item
  }

  /** Sends an item once; resolves with its receipt, or throws what the channel says. */
  async send(item: OutboxItem, signal: AbortSignal): Promise<string> {
    const { channel, target, messageOf } = this.#options
    const { runId, index, body } = item
    const message = await messageOf(body)
    const idempotencyKey = `${runId}.${index}`
    const receipt = await channel.send({ target, message, idempotencyKey, signal })
    await this.#settle(item, { status: 'sent', receipt })
    return receipt
  }

  /** Changes the text of a message that was sent, for sure unless the channel refuses. */
  async edit(index: number, text: string): Promise<void> {
    const { channel, target } = this.#options
    const { receipt } = this.#items[index] ?? {}
    if (receipt === undefined) return
    await this.#forSure(
      signal => channel.edit?.({ target, receipt, message: { text }, signal }) ?? Promise.resolve(),
      'an edit',
    )
  }

  /** Notes that a message says something else by now. */
  async rewrite(index: number, body: string): Promise<void> {
    const { outbox, runId } = this.#options
    const item = this.#items[index]
    if (item === undefined || item.body === body) return
    this.#items[index] = { ...item, body }
    await outbox.rewrite({ runId, index, body })
  }

  /** Sends what is not settled yet, in order, until the channel has taken it or will never take it. */
  async sendPending(): Promise<void> {
    for (const { index } of this.#items) {
      const item = this.#items[index]
      if (item?.status !== 'pending') continue
      const isTaken = await this.#forSure(signal => this.send(item, signal), 'a block')
      if (!isTaken) await this.#settle(item, { status: 'failed', receipt: undefined })
    }
  }

  /** Tries until the channel has taken it; false when it never will. */
  async #forSure(attempt: (signal: AbortSignal) => Promise<unknown>, what: string): Promise<boolean> {
    const { report, signal, giveUpMs = 3_600_000, now = Date.now } = this.#options
    const begunAt = now()
    for (let delayMs = 1_000; ; delayMs = Math.min(delayMs * 2, 60_000)) {
      try {
        await this.#inTime(attempt)
        return true
      } catch (error) {
        signal.throwIfAborted()
        const isHopeless = !(error instanceof ChannelError) || error.code === 'refused'
        if (isHopeless || now() - begunAt > giveUpMs) {
          report(error, `${what} was not taken by its channel and is given up`)
          return false
        }
        report(error, `${what} was not taken by its channel and is tried again`)
        await this.#pause(Math.max(delayMs, error.retryAfterMs ?? 0))
      }
    }
  }

  async #inTime(attempt: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    const { signal, timeoutMs = 15_000, startTimer: start = startTimer } = this.#options
    const late = new AbortController()
    const stopTimer = start(
      () => late.abort(new ChannelError('unavailable', `The channel did not answer within ${timeoutMs} ms.`)),
      timeoutMs,
    )
    const either = AbortSignal.any([signal, late.signal])
    try {
      await untilAborted(attempt(either), either)
    } finally {
      stopTimer()
    }
  }

  async #pause(ms: number): Promise<void> {
    const { signal, startTimer: start = startTimer } = this.#options
    const { promise, resolve } = Promise.withResolvers<void>()
    const stopTimer = start(resolve, ms)
    await untilAborted(promise, signal).finally(stopTimer)
  }

  async #settle(
    { runId, index }: OutboxItem,
    settled: { readonly status: 'sent' | 'failed'; readonly receipt: string | undefined },
  ): Promise<void> {
    // Of two answers to one item, e.g. of an attempt that nobody waited for any more, the first one counts.
    const item = this.#items[index]
    if (item === undefined || item.status !== 'pending') return
    this.#items[index] = { ...item, ...settled }
    await this.#options.outbox.settle({ runId, index, ...settled })
  }
}
