import { BlockChunker } from '../cutting/block-chunker.ts'
import type { Block, BlockChunkerOptions } from '../cutting/blocks.ts'
import type { BlockPart, ReplyMark, ReplyPart } from '../reading/reply-part.ts'

export interface CuttingOptions {
  readonly limits: BlockChunkerOptions
  /** How far into the text the outbox reaches, in characters. Cutting goes on behind that. */
  readonly reach: () => number
  /** Also gives out the block that is not complete yet. */
  readonly isGrowing?: boolean
}

/**
 * Second stage of a delivery: the text becomes blocks. A mark first gives out all of the text before it, however short
 * that is, so that the mark can be shown behind it.
 */
export async function* cutIntoBlocks(
  parts: AsyncIterable<ReplyPart>,
  { limits, reach, isGrowing = false }: CuttingOptions,
): AsyncGenerator<BlockPart, void, undefined> {
  const chunker = new BlockChunker(limits)
  let text = new TextAfter(chunker, 0)
  for await (const part of parts) {
    if (part.type === 'text') {
      text.append(part.text)
      continue
    }
    if (chunker.hasBuffered()) yield* blocksIn(chunker, { force: part.type !== 'pause' && !isInText(part) })
    const partial = isGrowing ? chunker.peek() : undefined
    if (partial !== undefined) yield { type: 'partial', block: partial }
    if (part.type === 'pause') continue
    yield part.type === 'approval' ? { ...part, cutAt: part.said.length - waitingOf(part, chunker) } : part
    if (part.type === 'start' || (part.type === 'approval' && !isGrowing)) {
      // Before an approval, everything that had failed is sent. So the outbox says where the text goes on.
      chunker.reset()
      text = new TextAfter(chunker, reach())
      text.append(part.said)
    }
  }
}

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

/** In place of the second stage when an answer is sent in one piece at its end: only the marks are passed on. */
export async function* withoutBlocks(
  parts: AsyncIterable<ReplyPart>,
): AsyncGenerator<BlockPart, void, undefined> {
  for await (const part of parts) {
    if (part.type === 'text' || part.type === 'pause') continue
    yield part.type === 'approval' ? { ...part, cutAt: part.isTextOpen ? 0 : part.said.length } : part
  }
}

function* blocksIn(chunker: BlockChunker, { force }: { readonly force: boolean }): Generator<BlockPart> {
  const blocks: Block[] = []
  chunker.drain({ force, emit: block => blocks.push(block) })
  for (const block of blocks) yield { type: 'block', block }
}

/** Whether a mark stands in the middle of a text, where a word may not be complete. */
function isInText(mark: ReplyMark): boolean {
  return mark.type === 'approval' && mark.isTextOpen
}

/** How many characters before a mark wait for the rest of their block. */
function waitingOf(mark: ReplyMark, { bufferedText }: BlockChunker): number {
  return isInText(mark) ? bufferedText.length : 0
}
