import { type Block, ownText } from '../cutting/blocks.ts'
import { closingOf, fenceAfterText } from '../cutting/fences.ts'
import { type RunningTimer, runTimer, type StartTimer } from '../ports/timers.ts'
import type { BlockPart } from '../reading/reply-part.ts'

export interface JoiningOptions {
  /** A block with this many characters or more does not wait for the next one. */
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
      const deadline = waiting && runTimer(idleMs, startTimer)
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

interface EditPacing {
  /** The shortest time between two edits of a message, in milliseconds. */
  readonly intervalMs: number
  readonly startTimer: StartTimer
}

/**
 * Third stage of a delivery in messages that grow: after each incomplete block it waits for an interval. Of the
 * incomplete blocks that come meanwhile it passes on only the newest. Complete blocks and marks end the wait.
 */
export async function* paceEdits(
  parts: AsyncIterable<BlockPart>,
  { intervalMs, startTimer }: EditPacing,
): AsyncGenerator<BlockPart, void, undefined> {
  const reader = new ImpatientReader(parts)
  let interval: RunningTimer | undefined
  let newest: BlockPart | undefined
  try {
    for (;;) {
      const next = await reader.next(interval)
      if (next !== 'late' && next.done === true) return
      const part = next === 'late' ? newest : next.value
      if (next !== 'late' && next.value.type === 'partial' && interval !== undefined) {
        newest = part
        continue
      }
      interval?.cancel()
      interval = undefined
      // A complete block contains the incomplete one. A mark does not: the newest text is shown before it.
      if (newest !== undefined && newest !== part && part?.type !== 'block') yield newest
      newest = undefined
      if (part !== undefined) yield part
      if (part?.type === 'partial') interval = runTimer(intervalMs, startTimer)
    }
  } finally {
    interval?.cancel()
    reader.close()
  }
}

/**
 * Reads items one by one and can stop waiting for the next one. An item that comes too late is not lost: the next call
 * returns it. At most one item is asked for at a time.
 */
class ImpatientReader<Item> {
  readonly #items: AsyncIterator<Item, void, undefined>
  #asked: Promise<IteratorResult<Item, void>> | undefined

  constructor(items: AsyncIterable<Item>) {
    this.#items = items[Symbol.asyncIterator]()
  }

  /** Waits for the next item; with a deadline only until it has passed. */
  async next(deadline?: RunningTimer): Promise<IteratorResult<Item, void> | 'late'> {
    this.#asked ??= this.#ask()
    const next = await (deadline === undefined ? this.#asked : Promise.race([this.#asked, deadline.passed]))
    if (next !== 'late') this.#asked = undefined
    return next
  }

  /** Ends the reading. Does not wait for an item that is on its way, which may never come, nor for its failure. */
  close(): void {
    this.#items.return?.().catch(() => undefined)
  }

  #ask(): Promise<IteratorResult<Item, void>> {
    const asked = this.#items.next()
    // The next call of `next` throws a failure. Until then nobody may be listening.
    asked.catch(() => undefined)
    return asked
  }
}
