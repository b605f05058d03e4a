import { BlockChunker, type BlockChunkerOptions } from '../cutting/block-chunker.ts'
import type { Delivery } from '../delivery.ts'
import { type BlockSink, isEditing, openEditing, openPipeline } from './block-sink.ts'
import type { OutboxSender } from './outbox-sender.ts'
import type { ReplyPayload } from './payloads.ts'
import { isText, reachOf, TextAfter } from './text-place.ts'

export interface BlockFeedOptions {
  readonly delivery: Delivery
  readonly sender: OutboxSender
  readonly limits: BlockChunkerOptions
}

/**
 * Cuts an answer into blocks while it is being written, and hands them on. It begins behind what the outbox has of
 * the answer. With `streaming: 'final'` it cuts nothing: all of the text is for the end.
 */
export class BlockFeed {
  /** How far into the text the outbox reached at the beginning. */
  readonly reach: number
  readonly #chunker: BlockChunker | undefined
  readonly #text: TextAfter | undefined
  readonly #sink: BlockSink
  #blockCount = 0

  constructor(options: BlockFeedOptions) {
    const { delivery, sender, limits } = options
    const { payloads } = sender
    const isGrowing = isEditing(delivery)
    const open = isGrowing ? payloads.findLastIndex(isText) : -1
    this.reach = reachOf(payloads.filter((_, index) => index !== open))
    if (delivery.options.streaming !== 'final') {
      this.#chunker = new BlockChunker(limits)
      this.#text = new TextAfter(this.#chunker, this.reach)
    }
    this.#sink = isGrowing ? openEditing(options, open === -1 ? undefined : open) : openPipeline(options)
  }

  append(text: string): void {
    this.#text?.append(text)
  }

  /** Passes on the blocks that are complete; with `force` all that there is. */
  pass({ force = false } = {}): void {
    this.#chunker?.drain({ force, emit: block => this.#sink.enqueue(this.#ofAnswer(block)) })
    const partial = this.#sink.show && this.#chunker?.peek()
    if (partial !== undefined) this.#sink.show?.({ ...partial, messageIndex: 0 })
  }

  /** Passes on what goes between two blocks. */
  enqueue(payload: ReplyPayload): void {
    this.#sink.enqueue(payload)
  }

  /** How much of a text with so many characters has been passed on. */
  passedOf(textLength: number): number {
    return this.#chunker === undefined ? 0 : textLength - this.#chunker.bufferedText.length
  }

  /** Resolves when everything that was passed on is shown, or will not be before the end. */
  flush(): Promise<void> {
    return this.#sink.flush({ force: true })
  }

  stop(): Promise<void> {
    return this.#sink.stop()
  }

  /** Each block is one of its own, also when it says what another says. */
  #ofAnswer(block: ReplyPayload): ReplyPayload {
    this.#blockCount += 1
    return { ...block, messageIndex: 0, id: `${this.#blockCount}` }
  }
}
