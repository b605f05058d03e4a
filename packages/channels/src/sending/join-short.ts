import { type Block, ownText } from '../cutting/blocks.ts'
import { closingOf, fenceAfterText } from '../cutting/fences.ts'
import { deadlineIn } from './deadline.ts'
import { ImpatientReader } from './impatient-reader.ts'
import type { StartTimer } from './start-timer.ts'

export interface JoiningOptions {
  /** A block with so many characters does not wait for more. */
  readonly minChars: number
  /** No joined block is longer. */
  readonly maxChars: number
  /** How long a shorter block waits for the next one, in milliseconds. */
  readonly idleMs: number
  readonly startTimer: StartTimer
}

/**
 * Third stage of a delivery: joins short blocks that come close together. A mark does not wait: the block before it
 * goes out at once, then the mark. When the source ends without the end of the answer, the block that waits is dropped,
 * because the next attempt reads it again.
 */
export async function* joinShort<Mark extends { readonly type: string }>(
  parts: AsyncIterable<BlockItem | Mark>,
  { minChars, maxChars, idleMs, startTimer }: JoiningOptions,
): AsyncGenerator<BlockItem | Mark, void, undefined> {
  const reader = new ImpatientReader(parts)
  let waiting: Block | undefined
  try {
    for (;;) {
      const deadline = waiting && deadlineIn(idleMs, startTimer)
      const next = await reader.next(deadline).finally(deadline?.cancel)
      if (next !== 'late' && next.done === true) return
      const part = next === 'late' ? undefined : next.value
      const block = part !== undefined && isBlockItem(part) ? part.block : undefined
      const joined = waiting && block && joinedWithin(maxChars, waiting, block)
      if (waiting !== undefined && joined === undefined) yield { type: 'block', block: waiting }
      waiting = joined ?? block
      if (part !== undefined && block === undefined) yield part
      if (waiting === undefined || waiting.text.length < minChars) continue
      yield { type: 'block', block: waiting }
      waiting = undefined
    }
  } finally {
    reader.close()
  }
}

interface BlockItem {
  readonly type: 'block'
  readonly block: Block
}

function isBlockItem(part: BlockItem | { readonly type: string }): part is BlockItem {
  return part.type === 'block'
}

function joinedWithin(maxChars: number, first: Block, second: Block): Block | undefined {
  const joined = mergeBlocks(first, second)
  return joined.text.length <= maxChars ? joined : undefined
}

/** Returns two blocks that follow each other as one. A fence that was closed and opened again between them is whole. */
export function mergeBlocks(first: Block, second: Block): Block {
  const { before, reopening } = first
  const text = reopening + ownText(first) + second.before + ownText(second)
  // The closing line of the second block may not fit: that block may have opened the fence with fewer markers.
  const open = fenceAfterText(undefined, text)
  const closing = open === undefined ? '' : closingOf(open)
  return { before, text: text + closing, reopening, closing }
}
