/** Pseudo-random numbers. The same seed gives the same numbers on every machine. */
export type SeededRandom = {
  /** Returns a number from 0 to 1, without 1. */
  next(): number
  /** Returns a whole number from 0 to `limit`, without `limit`. */
  below(limit: number): number
  pick<Item>(items: readonly [Item, ...Item[]]): Item
}

/** Makes a mulberry32 generator. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number) => Math.floor(next() * limit)
  return { next, below, pick: items => items[below(items.length)] ?? items[0] }
}

/** Returns a seed made of another seed and a text (FNV-1a over its UTF-16 units). */
export function seedFrom(seed: number, text: string): number {
  let hash = (0x811c9dc5 ^ seed) >>> 0
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193) >>> 0
  }
  return hash
}
