/** How long a block may be, in UTF-16 units. */
export interface ChunkLimits {
  /** A block waits until it is so long, unless it is forced out. */
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
