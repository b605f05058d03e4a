import { type Block, mergeBlocks } from '../cutting/blocks.ts'
import { hasMedia, type ReplyPayload } from './payloads.ts'
import { type StartTimer, startTimer } from './start-timer.ts'

export interface CoalescerOptions {
  /** A text with as many characters does not wait for more. */
  readonly minChars?: number
  /** Texts are not joined into a longer one. */
  readonly maxChars?: number
  /** How long a shorter text waits for the next. */
  readonly idleMs?: number
  /** What goes between two texts that do not follow each other in one message. */
  readonly joiner?: string
  readonly startTimer?: StartTimer
}

/** A payload, and the payloads of which it was made. */
export interface Coalesced {
  readonly payload: ReplyPayload
  readonly parts: readonly ReplyPayload[]
}

/**
 * Joins short texts that come close together into one message. Media and notices go alone, after the text that
 * came before them. Nothing changes its order.
 */
export class Coalescer {
  readonly #pass: (coalesced: Coalesced) => void
  readonly #options: Required<CoalescerOptions>
  #waiting: Coalesced | undefined
  #stopTimer: (() => void) | undefined

  constructor(pass: (coalesced: Coalesced) => void, options: CoalescerOptions = {}) {
    this.#pass = pass
    this.#options = { minChars: 800, maxChars: 1200, idleMs: 1000, joiner: '\n\n', startTimer, ...options }
  }

  enqueue(payload: ReplyPayload): void {
    const joined = this.#joined(payload)
    if (joined === undefined) this.flush()
    this.#waiting = joined ?? { payload, parts: [payload] }
    const { minChars, idleMs } = this.#options
    this.#stopTimer?.()
    const isShort = (this.#waiting.payload.text ?? '').length < minChars
    if (!isJoinable(payload) || !isShort) return this.flush()
    this.#stopTimer = this.#options.startTimer(() => this.flush(), idleMs)
  }

  /** Passes on what waits. */
  flush(): void {
    const waiting = this.#waiting
    this.#waiting = undefined
    this.#stopTimer?.()
    this.#stopTimer = undefined
    if (waiting !== undefined) this.#pass(waiting)
  }

  hasBuffered(): boolean {
    return this.#waiting !== undefined
  }

  #joined(payload: ReplyPayload): Coalesced | undefined {
    const waiting = this.#waiting
    if (waiting === undefined || !isJoinable(payload) || waiting.payload.replyTo !== payload.replyTo)
      return undefined
    const last = waiting.parts.at(-1)
    const isSameMessage = last?.messageIndex !== undefined && last.messageIndex === payload.messageIndex
    const before = isSameMessage ? payload.before : undefined
    const block =
      before === undefined
        ? this.#apart(waiting.payload, payload)
        : mergeBlocks(blockOf(waiting.payload), { ...blockOf(payload), before })
    if (block.text.length > this.#options.maxChars) return undefined
    return { payload: { ...waiting.payload, ...block }, parts: [...waiting.parts, payload] }
  }

  #apart(first: ReplyPayload, second: ReplyPayload): Block {
    const { text, ...block } = blockOf(first)
    const joined = text + this.#options.joiner + (second.text ?? '')
    return { ...block, text: joined, closing: second.closing ?? '' }
  }
}

function isJoinable(payload: ReplyPayload): boolean {
  return !hasMedia(payload) && payload.isStatus !== true
}

function blockOf({ before = '', text = '', reopening = '', closing = '' }: ReplyPayload): Block {
  return { before, text, reopening, closing }
}
