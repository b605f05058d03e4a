/** How many text deltas an answer has. */
export const deltas = 200

/** How many deltas per second the provider sends in each answer. */
export const perSecond = 50

/** Returns a delta. Each is different, because a text that repeats itself is shown only once. */
export function numbered(index: number): string {
  return `word ${index}, `
}
