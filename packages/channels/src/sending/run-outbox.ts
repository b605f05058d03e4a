import { hash } from 'node:crypto'
import { type OutboxItem, parseJson, type SettledOutboxItem } from '@throughline/protocol/internal'
import { z } from 'zod'
import { approvalText } from '../ports/approval-text.ts'
import { type Channel, ChannelError, type SendRequest, type ToolApproval } from '../ports/channel.ts'
import type { DeliveryOutbox } from '../ports/delivery-outbox.ts'
import type { Notice } from './post.ts'
import { type Post, payloadKey, reachOf } from './post.ts'
import { messageOfPost, type ReadMedium } from './read-medium.ts'

export interface RunOutboxOptions {
  readonly channel: Channel
  readonly target: string
  readonly outbox: DeliveryOutbox
  readonly runId: string
  /** The inbound message that the run's first message is a reply to. */
  readonly replyTo: string | undefined
  readonly readMedium: ReadMedium
  readonly signal: AbortSignal
  readonly report: (error: unknown, what: string) => void
}

/** How many digits of the hash tell two texts of the same block apart. */
const keyLength = 8

interface KeptPost extends Pick<OutboxItem, 'status' | 'receipt'> {
  readonly post: Post
  /** `undefined` for one that an earlier release has kept. */
  readonly key: string | undefined
}

/**
 * The outbox of one run: the record of what was sent. Each post is saved before it is sent, and settled when the channel
 * has confirmed it. All attempts at a post have the same idempotency key, in every process. A database may lose what was sent,
 * and the answer may say something else then: a receiver must not take that for what it has. So the key depends on the text with which
 * the post was kept. Methods that call the channel make one attempt, and throw if it fails.
 */
export class RunOutbox {
  readonly #options: RunOutboxOptions
  readonly #items: KeptPost[]
  /** Notices are sent directly and are not saved. These are the keys of those that this process has sent. */
  readonly #sentNoticeKeys = new Set<string>()

  /** `known`: what earlier processes have saved. Throws a `TypeError` when an item is damaged. */
  constructor(options: RunOutboxOptions, known: readonly OutboxItem[]) {
    this.#options = options
    this.#items = known
      .filter(({ runId }) => runId === options.runId)
      .map(({ body, status, receipt }) => ({ ...keptFrom(body), status, receipt }))
  }

  get posts(): readonly Post[] {
    return this.#items.map(({ post }) => post)
  }

  /** The posts that the channel has confirmed. */
  get sent(): readonly Post[] {
    return this.#items.filter(({ status }) => status === 'sent').map(({ post }) => post)
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
    // When this delivery is over, the next one may have read the outbox already. It would not know of this post.
    signal.throwIfAborted()
    const index = this.#items.length
    const kept = index === 0 ? { ...post, replyTo } : post
    const key = hash('sha256', postBody(kept), 'hex').slice(0, keyLength)
    await outbox.add({ runId, index, body: postBody(kept, key) })
    this.#items.push({ post: kept, key, status: 'pending', receipt: undefined })
    return index
  }

  /** Saves that a message has another text by now. */
  async rewrite(index: number, post: Post): Promise<void> {
    const { outbox, runId, signal } = this.#options
    const item = this.#items[index]
    const rewritten = { ...post, replyTo: item?.post.replyTo }
    if (item === undefined || postBody(item.post) === postBody(rewritten)) return
    signal.throwIfAborted()
    await outbox.rewrite({ runId, index, body: postBody(rewritten, item.key) })
    this.#items[index] = { ...item, post: rewritten }
  }

  /** Yields the indexes of the posts that are neither sent nor given up, in order. */
  *pending(): Generator<number, void, undefined> {
    for (const [index, { status }] of this.#items.entries()) if (status === 'pending') yield index
  }

  /** Sends a post. Does nothing when it was sent or given up before. */
  async send(index: number, signal: AbortSignal): Promise<void> {
    const { target, runId } = this.#options
    const item = this.#items[index]
    // The channel may have confirmed it after the time limit, when nobody waited for it any more.
    if (item?.status !== 'pending') return
    signal.throwIfAborted()
    const idempotencyKey = item.key === undefined ? `${runId}.${index}` : `${runId}.${index}.${item.key}`
    const receipt = await this.#give(item.post, { target, idempotencyKey, signal })
    await this.#settle(index, { status: 'sent', receipt })
  }

  /** Saves that the channel will never take a post. */
  async giveUp(index: number): Promise<void> {
    await this.#settle(index, { status: 'failed', receipt: undefined })
  }

  /** Changes the text of a message that was sent. Does nothing when the channel has not taken that message. */
  async edit(index: number, text: string, signal: AbortSignal): Promise<void> {
    const { channel, target } = this.#options
    const { receipt } = this.#items[index] ?? {}
    if (receipt === undefined) return
    await askChannel(async () => channel.edit?.({ target, receipt, message: { text }, signal }))
  }

  /** Sends a notice. A notice that was sent before is ignored. */
  async notify({ key, text }: Notice, signal: AbortSignal): Promise<void> {
    const { channel, target, runId } = this.#options
    if (this.#sentNoticeKeys.has(key)) return
    this.#sentNoticeKeys.add(key)
    await channel.send({ target, message: { text }, idempotencyKey: `${runId}.${key}`, signal })
  }

  async #give(post: Post, request: Omit<SendRequest, 'message'>): Promise<string | undefined> {
    const { channel, readMedium } = this.#options
    const { approval, replyTo } = post
    // A question has no buttons.
    if (approval !== undefined && approval.question === undefined && channel.showApproval !== undefined) {
      const receipt = this.#receiptOf(approval)
      return askChannel(async () => channel.showApproval?.({ ...request, approval, replyTo, receipt }))
    }
    const text =
      approval === undefined
        ? (post.text ?? '')
        : approvalText(approval, { maxChars: channel.maxChars, canDecide: false })
    const message = post.media === undefined ? { text, replyTo } : await messageOfPost(post, readMedium)
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
    // A failure is only reported, because this process remembers what it has sent. The next process would send the
    // post again, with the same key.
    await outbox
      .settle({ runId, index, ...settled })
      .catch(error => report(error, 'what became of a block could not be saved'))
  }
}

/** Calls a channel. Throws only `ChannelError`s. Any other error becomes `unavailable`, because it may pass. */
async function askChannel<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof ChannelError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new ChannelError('unavailable', `The channel failed: ${reason}`)
  }
}

const approvalForm = z.object({
  id: z.string(),
  toolName: z.string(),
  input: z.string(),
  isInputCut: z.boolean(),
  agent: z.string().optional(),
  isAskedHere: z.boolean(),
  question: z.string().optional(),
  outcome: z.object({ approved: z.boolean(), reason: z.string().optional() }).optional(),
})

const postForm = z.object({
  text: z.string().optional(),
  before: z.string().optional(),
  reopening: z.string().optional(),
  closing: z.string().optional(),
  media: z.array(z.string()).optional(),
  replyTo: z.string().optional(),
  isStatus: z.boolean().optional(),
  approval: approvalForm.optional(),
})

const keptForm = postForm.extend({ key: z.string().optional() })

/** Returns a post as JSON, for the outbox. `key` is the end of its idempotency key. */
export function postBody(post: Post, key?: string): string {
  return JSON.stringify(keptForm.parse({ ...post, key }))
}

/** Reads a post from the outbox. Throws a `TypeError` when the body is damaged. */
export function keptFrom(body: string): Pick<KeptPost, 'post' | 'key'> {
  const { data } = keptForm.safeParse(parseJson(body))
  if (data === undefined)
    throw new TypeError('An item of the outbox is damaged. Restore the database from a backup.')
  const { key, ...post } = data
  return { post, key }
}
