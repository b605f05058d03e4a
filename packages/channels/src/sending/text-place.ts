import type { BlockChunker } from '../cutting/block-chunker.ts'
import { ownText } from '../cutting/blocks.ts'
import type { ReplyPayload } from './payloads.ts'

/** Whether a payload is a piece of the answer's text. */
export function isText({ isStatus, media, approval }: ReplyPayload): boolean {
  return isStatus !== true && media === undefined && approval === undefined
}

/** How far into the answer's text these payloads reach. */
export function reachOf(payloads: readonly ReplyPayload[]): number {
  return payloads.filter(isText).reduce((sum, payload) => sum + lengthOf(payload), 0)
}

/** How much of the answer's text a payload covers, with what stands before it. */
function lengthOf({ before = '', text = '', reopening = '', closing = '' }: ReplyPayload): number {
  return before.length + ownText({ text, reopening, closing }).length
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
