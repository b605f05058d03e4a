import type { OutboxItem, SettledOutboxItem } from '@throughline/protocol/internal'
import type { Channel, SendRequest, ToolApproval } from '../channel.ts'
import { approvalText } from './approval-text.ts'
import { askChannel } from './ask-channel.ts'
import type { Notice } from './block-sink.ts'
import type { Outbox } from './outbox.ts'
import { bodyOf, postFrom } from './outbox-body.ts'
import { type Post, payloadKey, reachOf } from './post.ts'
import { messageFrom, type ReadMedium } from './read-medium.ts'
import { type Attempt, type TryOptions, tryOnce, tryUntilTaken } from './try-until-taken.ts'

export interface RunOutboxOptions extends TryOptions {
  readonly channel: Channel
  readonly target: string
  readonly outbox: Outbox
  readonly runId: string
  /** The inbound message that the run's first message is a reply to. */
  readonly replyTo: string | undefined
  readonly readMedium: ReadMedium
}

interface KeptPost extends Pick<OutboxItem, 'status' | 'receipt'> {
  readonly post: Post
}

/**
 * The outbox of one run: the record of what was sent, and the way to the channel. Each post is saved before it is sent.
 * It is settled when the channel has confirmed it. All attempts at a post have the same idempotency key, in every
 * process.
 */
export class RunOutbox {
  readonly #options: RunOutboxOptions
  readonly #items: KeptPost[]
  /** Notices are sent directly and are not saved. These are the keys of those that this process has sent. */
  readonly #directlySentBlockKeys = new Set<string>()

  /** `known`: what earlier processes have saved. Throws a `TypeError` when an item is damaged. */
  constructor(options: RunOutboxOptions, known: readonly OutboxItem[]) {
    this.#options = options
    this.#items = known
      .filter(({ runId }) => runId === options.runId)
      .map(({ body, status, receipt }) => ({ post: postFrom(body), status, receipt }))
  }

  get posts(): readonly Post[] {
    return this.#items.map(({ post }) => post)
  }

  /** How many characters of the answer's text are in the outbox. */
  get reach(): number {
    return reachOf(this.posts)
  }

  /** Whether a post was saved, by this process or an earlier one. Such a post is never saved again. Not for blocks. */
  hasSentPayload(post: Post): boolean {
    const key = payloadKey(post)
    return key !== undefined && this.posts.some(other => payloadKey(other) === key)
  }

  /** Saves a post and returns its index. From now on it will be sent, by this process or the next one. */
  async keep(post: Post): Promise<number> {
    const { outbox, runId, replyTo, signal } = this.#options
    // After the end of this delivery another one has read the outbox. It would not know of this post.
    signal.throwIfAborted()
    const index = this.#items.length
    const kept = index === 0 ? { ...post, replyTo } : post
    await outbox.add({ runId, index, body: bodyOf(kept) })
    this.#items.push({ post: kept, status: 'pending', receipt: undefined })
    return index
  }

  /** Saves that a message has another text by now. */
  async rewrite(index: number, post: Post): Promise<void> {
    const { outbox, runId, signal } = this.#options
    const item = this.#items[index]
    const body = bodyOf({ ...post, replyTo: item?.post.replyTo })
    if (item === undefined || bodyOf(item.post) === body) return
    signal.throwIfAborted()
    await outbox.rewrite({ runId, index, body })
    this.#items[index] = { ...item, post: postFrom(body) }
  }

  /** Sends everything that is pending, in order, with one attempt each. Throws at the first that is not taken. */
  async sendOnce(signal: AbortSignal): Promise<void> {
    for (const index of this.#items.keys()) await this.#send(index, signal)
  }

  /** Sends everything that is pending, in order. Tries each until the channel has taken it or will never take it. */
  async sendPending(): Promise<void> {
    for (const index of this.#items.keys()) {
      if (this.#items[index]?.status !== 'pending') continue
      const isTaken = await tryUntilTaken(signal => this.#send(index, signal), 'a block', this.#options)
      if (!isTaken) await this.#settle(index, { status: 'failed', receipt: undefined })
    }
  }

  /** Changes the text of a message that was sent. Tries until the channel has taken the change or will never take it. */
  async edit(index: number, text: string): Promise<void> {
    const { channel, target } = this.#options
    const { receipt } = this.#items[index] ?? {}
    if (receipt === undefined) return
    const attempt: Attempt = signal =>
      askChannel(async () => channel.edit?.({ target, receipt, message: { text }, signal }))
    await tryUntilTaken(attempt, 'an edit', this.#options)
  }

  /** Sends a notice, with one attempt. A notice that was sent before is ignored. */
  async notify({ key, text }: Notice): Promise<void> {
    const { channel, target, runId } = this.#options
    if (this.#directlySentBlockKeys.has(key)) return
    this.#directlySentBlockKeys.add(key)
    const request = { target, message: { text }, idempotencyKey: `${runId}.${key}` }
    await tryOnce(signal => channel.send({ ...request, signal }), this.#options)
  }

  async #send(index: number, signal: AbortSignal): Promise<void> {
    const { target, runId } = this.#options
    const item = this.#items[index]
    // It may have been confirmed after its time, when nobody waited for it any more.
    if (item?.status !== 'pending') return
    signal.throwIfAborted()
    const receipt = await this.#give(item.post, { target, idempotencyKey: `${runId}.${index}`, signal })
    await this.#settle(index, { status: 'sent', receipt })
  }

  async #give(post: Post, request: Omit<SendRequest, 'message'>): Promise<string | undefined> {
    const { channel, readMedium } = this.#options
    const { approval, replyTo } = post
    if (approval !== undefined && channel.showApproval !== undefined) {
      const receipt = this.#receiptOf(approval)
      return askChannel(async () => channel.showApproval?.({ ...request, approval, replyTo, receipt }))
    }
    const text = approval && approvalText(approval, channel.maxChars)
    const message = await messageFrom({ ...post, ...(text && { text }) }, readMedium)
    request.signal.throwIfAborted()
    return askChannel(() => channel.send({ ...request, message }))
  }

  /** The channel's id for the message that asked a person to decide. */
  #receiptOf({ id }: ToolApproval): string | undefined {
    return this.#items.find(({ post }) => post.approval?.id === id)?.receipt
  }

  async #settle(index: number, settled: Pick<SettledOutboxItem, 'status' | 'receipt'>): Promise<void> {
    const { outbox, runId, report } = this.#options
    const item = this.#items[index]
    if (item?.status !== 'pending') return
    this.#items[index] = { ...item, ...settled }
    // This process knows it anyway. The next one would send the post again, with the same key.
    await outbox
      .settle({ runId, index, ...settled })
      .catch(error => report(error, 'what became of a block could not be saved'))
  }
}
