import type { BlockChunker } from './block-chunker.ts'
import { ownText } from './blocks.ts'
import type { OutboxItem } from './outbox.ts'
import { payloadFrom } from './outbox-body.ts'
import type { ReplyPayload } from './payloads.ts'

/** How much of the answer's text a payload covers, with what stands before it. */
function lengthOf({ before = '', text = '', reopening = '', closing = '' }: ReplyPayload): number {
  return before.length + ownText({ text, reopening, closing }).length
}

/** How far into the answer's text these items reach. */
export function reachOf(items: readonly OutboxItem[]): number {
  return items.filter(isText).reduce((sum, { body }) => sum + lengthOf(payloadFrom(body)), 0)
}

/** Whether an item is a piece of the answer's text. */
export function isText({ body }: OutboxItem): boolean {
  const { isStatus, media } = payloadFrom(body)
  return isStatus !== true && media === undefined
}

/**
 * Feeds a chunker the text of an answer of which the first `reach` characters have been sent: they are passed over,
 * and the chunker goes on behind them as it would have, in a fence if they end in one.
 */
export class TextAfter {
  readonly #chunker: BlockChunker
  readonly #reach: number
  #passed = ''

  constructor(chunker: BlockChunker, reach: number) {
    this.#chunker = chunker
    this.#reach = reach
  }

  append(text: string): void {
    const missing = this.#reach - this.#passed.length
    if (missing > 0) {
      this.#passed += text.slice(0, missing)
      if (this.#passed.length < this.#reach) return
      this.#chunker.goOnAfter(this.#passed)
    }
    this.#chunker.append(text.slice(Math.max(0, missing)))
  }
}
