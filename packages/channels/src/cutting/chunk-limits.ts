/** How long a block may be, in UTF-16 units. */
export interface ChunkLimits {
  /** A block waits until it has as many characters, unless it has to be given out. */
  readonly minChars: number
  readonly maxChars: number
}

/**
 * Limits for a channel. The minimum stays at two thirds of the maximum or below, so that there is always room
 * between them in which to look for a good place to cut.
 */
export function chunkLimits(channelMaxChars: number, wanted: Partial<ChunkLimits> = {}): ChunkLimits {
  const { minChars = 800, maxChars = 1200 } = wanted
  const max = Math.min(maxChars, channelMaxChars)
  return { minChars: Math.min(minChars, Math.floor((max * 2) / 3)), maxChars: max }
}
