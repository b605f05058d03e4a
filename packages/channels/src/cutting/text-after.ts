import type { BlockChunker } from './block-chunker.ts'

/**
 * Gives a chunker the text of an answer whose first `reach` characters were sent before. Those characters are skipped.
 * The chunker goes on behind them as if it had cut them itself, so it opens a code fence again if they end in one.
 */
export class TextAfter {
  readonly #chunker: BlockChunker
  readonly #reach: number
  #skipped = ''

  constructor(chunker: BlockChunker, reach: number) {
    this.#chunker = chunker
    this.#reach = reach
  }

  append(text: string): void {
    const missing = this.#reach - this.#skipped.length
    if (missing > 0) {
      this.#skipped += text.slice(0, missing)
      if (this.#skipped.length < this.#reach) return
      this.#chunker.goOnAfter(this.#skipped)
    }
    this.#chunker.append(text.slice(Math.max(0, missing)))
  }
}
