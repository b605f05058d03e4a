/**
 * A piece of an answer, short enough to be one message of a channel.
 *
 * Only `text` is sent. The other fields tell how it was made from the answer. With them, `joinBlocks` restores the answer
 * to the letter.
 */
export interface Block {
  /**
   * What stood in the answer between the last block and this one. It is whitespace. It can also be the closing line of a
   * fence, if such a line was added to the last block before.
   */
  readonly before: string
  readonly text: string
  /** The line that was added in front of the text because the block begins inside a fence. Otherwise empty. */
  readonly reopening: string
  /** The line that was added behind the text because the block ends inside a fence. Otherwise empty. */
  readonly closing: string
}

/** Returns the text from which the blocks were cut. */
export function joinBlocks(blocks: readonly Block[]): string {
  return blocks.map(block => block.before + ownText(block)).join('')
}

/** Returns the text of a block without the lines that were added to it. */
export function ownText({ text, reopening, closing }: Omit<Block, 'before'>): string {
  return text.slice(reopening.length, text.length - closing.length)
}

/** How long a block may be, in UTF-16 units. */
export interface ChunkLimits {
  /** A block waits until it has this length, unless it is forced out. */
  readonly minChars: number
  /** No block is longer. 40 or more. */
  readonly maxChars: number
}

/**
 * The breaks at which a block ends as soon as it is long enough. Each includes those before it: `sentence` also ends at
 * a `newline` and at a `paragraph`. With `limit` a block ends only when it gets too long.
 */
export type BreakPreference = 'paragraph' | 'newline' | 'sentence' | 'limit'

export interface BlockChunkerOptions extends ChunkLimits {
  /** `paragraph` by default. */
  readonly preference?: BreakPreference
}

/** Shorter blocks would have no room for the lines that open and close a fence. */
export const smallestMaxChars = 40

/**
 * Returns the limits for a channel. The minimum is at most two thirds of the maximum. So there is always room between
 * the two in which to find a good place to cut.
 */
export function chunkLimits(channelMaxChars: number, wanted: Partial<ChunkLimits> = {}): ChunkLimits {
  const { minChars = 800, maxChars = 1200 } = wanted
  const max = Math.min(maxChars, channelMaxChars)
  return { minChars: Math.min(minChars, Math.floor((max * 2) / 3)), maxChars: max }
}
