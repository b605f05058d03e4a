import type { Channel, SendRequest, ToolApproval } from '../channel.ts'
import { approvalText } from './approval-text.ts'
import { askChannel } from './ask-channel.ts'
import type { Outbox, OutboxItem } from './outbox.ts'
import { bodyOf, payloadFrom } from './outbox-body.ts'
import type { ReplyPayload } from './payloads.ts'
import { messageFrom, type ReadMedium } from './read-medium.ts'
import { type Attempt, type TryOptions, tryOnce, tryUntilTaken } from './try-until-taken.ts'

export interface OutboxSenderOptions extends TryOptions {
  readonly channel: Channel
  readonly target: string
  readonly outbox: Outbox
  readonly runId: string
  /** The inbound message that the run's first message answers. */
  readonly replyTo: string | undefined
  readonly readMedium: ReadMedium
}

/** An item of the outbox, read. */
export interface Kept extends Pick<OutboxItem, 'status' | 'receipt'> {
  readonly payload: ReplyPayload
}

/**
 * What one run has to send, on its way. Each payload is written down before it is sent, and settled only when the
 * channel has confirmed it; it goes out under the same key however often it is tried, and by whichever process.
 */
export class OutboxSender {
  readonly #options: OutboxSenderOptions
  readonly #items: Kept[]
  /** What is being written down; it never rejects. */
  #writing: Promise<unknown> = Promise.resolve()
  #failure: { readonly error: unknown } | undefined

  /** `known`: what earlier processes have written down. */
  constructor(options: OutboxSenderOptions, known: readonly OutboxItem[]) {
    this.#options = options
    this.#items = known
      .filter(({ runId }) => runId === options.runId)
      .map(({ body, status, receipt }) => ({ payload: payloadFrom(body), status, receipt }))
  }

  /** Everything of the run so far, with how it stands. */
  get items(): readonly Kept[] {
    return this.#items
  }

  get payloads(): readonly ReplyPayload[] {
    return this.#items.map(({ payload }) => payload)
  }

  /** Throws when something could not be written down: from then on only a new look at the outbox tells what is in it. */
  throwIfBroken(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }

  /** Writes a payload down and answers its index. From here on it is sent, by this process or the next. */
  async keep(payload: ReplyPayload): Promise<number> {
    const { outbox, runId, replyTo } = this.#options
    this.#assertWritable()
    const index = this.#items.length
    const kept = index === 0 ? { ...payload, replyTo } : payload
    // Counts at once: whoever asks what is left while it is being written must not be told that it is.
    this.#items.push({ payload: kept, status: 'pending', receipt: undefined })
    await this.#write(outbox.add({ runId, index, body: bodyOf(kept) }))
    return index
  }

  /** Notes that a message says something else by now. */
  async rewrite(index: number, payload: ReplyPayload): Promise<void> {
    const { outbox, runId } = this.#options
    const item = this.#items[index]
    const body = bodyOf({ ...payload, replyTo: item?.payload.replyTo })
    if (item === undefined || bodyOf(item.payload) === body) return
    this.#assertWritable()
    this.#items[index] = { ...item, payload: payloadFrom(body) }
    await this.#write(outbox.rewrite({ runId, index, body }))
  }

  /** Writes a payload down and sends it once, after what an earlier process has left. */
  async post(payload: ReplyPayload, signal: AbortSignal): Promise<void> {
    for (const index of this.#items.keys()) await this.#send(index, signal)
    signal.throwIfAborted()
    await this.#send(await this.keep(payload), signal)
  }

  /** Sends everything that is not settled, in order, until the channel has taken it or will never take it. */
  async sendPending(): Promise<void> {
    await this.#writing
    this.throwIfBroken()
    for (const index of this.#items.keys()) {
      if (this.#items[index]?.status !== 'pending') continue
      const isTaken = await tryUntilTaken(signal => this.#send(index, signal), 'a block', this.#options)
      if (!isTaken) await this.#settle(index, { status: 'failed', receipt: undefined })
    }
  }

  /** Changes the text of a message that was sent, until the channel has taken that or will never take it. */
  async edit(index: number, text: string): Promise<void> {
    const { channel, target } = this.#options
    const { receipt } = this.#items[index] ?? {}
    if (receipt === undefined) return
    const attempt: Attempt = signal =>
      askChannel(async () => channel.edit?.({ target, receipt, message: { text }, signal }))
    await tryUntilTaken(attempt, 'an edit', this.#options)
  }

  /** Sends a notice once. It is worth nothing later, so it is not written down. */
  async notify({ text = '', id }: ReplyPayload): Promise<void> {
    const { channel, target, runId } = this.#options
    const request = { target, message: { text }, idempotencyKey: `${runId}.${id}` }
    await tryOnce(signal => channel.send({ ...request, signal }), this.#options)
  }

  async #send(index: number, signal: AbortSignal): Promise<void> {
    const { target, runId } = this.#options
    const item = this.#items[index]
    // An attempt that nobody waited for any more may have been confirmed meanwhile.
    if (item?.status !== 'pending') return
    const receipt = await this.#give(item.payload, { target, idempotencyKey: `${runId}.${index}`, signal })
    await this.#settle(index, { status: 'sent', receipt })
  }

  async #give(payload: ReplyPayload, request: Omit<SendRequest, 'message'>): Promise<string | undefined> {
    const { channel, readMedium } = this.#options
    const { approval, replyTo } = payload
    if (approval !== undefined && channel.showApproval !== undefined) {
      const receipt = this.#receiptOf(approval)
      return askChannel(async () => channel.showApproval?.({ ...request, approval, replyTo, receipt }))
    }
    const text = approval && approvalText(approval, channel.maxChars)
    const message = await messageFrom({ ...payload, ...(text && { text }) }, readMedium)
    request.signal.throwIfAborted()
    return askChannel(() => channel.send({ ...request, message }))
  }

  /** The channel's id for the message that asked. */
  #receiptOf({ id }: ToolApproval): string | undefined {
    return this.#items.find(({ payload }) => payload.approval?.id === id)?.receipt
  }

  async #settle(index: number, settled: Settled): Promise<void> {
    const { outbox, runId, report } = this.#options
    const item = this.#items[index]
    if (item?.status !== 'pending') return
    this.#items[index] = { ...item, ...settled }
    // This process knows all the same; the next one tries again, under the same key.
    await outbox
      .settle({ runId, index, ...settled })
      .catch(error => report(error, 'what became of a block could not be written down'))
  }

  // What is over has successors, which would not know of what is written now.
  #assertWritable(): void {
    this.#options.signal.throwIfAborted()
    this.throwIfBroken()
  }

  #write(write: Promise<void>): Promise<void> {
    const written = write.catch(error => {
      this.#failure ??= { error }
      throw error
    })
    this.#writing = written.catch(() => undefined)
    return written
  }
}

interface Settled {
  readonly status: 'sent' | 'failed'
  readonly receipt: string | undefined
}
