import { encodings } from './encodings.ts'
import { addresses, vectors } from './vectors.ts'

/** A text and an address that must do nothing but be shown. */
export interface Payload {
  readonly number: number
  readonly text: string
  readonly address: string
}

/** Every payload is named by its number, so that a failure leads to it. */
export const payloadCount = 2_000

/**
 * Returns all payloads: every vector as it is, and then in many encodings. Their order looks random and is always the
 * same, so every part of the list has something of everything.
 */
export function makePayloads(): readonly Payload[] {
  const plain = vectors.map(vector => ({ vector, encode: (text: string) => text }))
  const encoded = shuffled(vectors.flatMap(vector => encodings.map(encode => ({ vector, encode }))))
  const distinct = new Map([...plain, ...encoded].map(pair => [pair.encode(pair.vector), pair]))
  return shuffled([...distinct.values()].slice(0, payloadCount)).map(({ vector, encode }, number) => ({
    number,
    text: encode(filled(vector, number)),
    address: filled(addresses[number % addresses.length] ?? '', number),
  }))
}

/** Puts what runs and what is asked for into a vector. Both name the payload. */
function filled(vector: string, number: number): string {
  return vector.replaceAll('{run}', `hit(${number})`).replaceAll('{url}', `https://leak.example/${number}`)
}

/** Shuffles by the numbers of a small generator (MINSTD). */
function shuffled<Item>(items: readonly Item[]): readonly Item[] {
  let state = 20_260
  const keyed = items.map(item => {
    state = (state * 48_271) % 2_147_483_647
    return { item, key: state }
  })
  return keyed.toSorted((one, other) => one.key - other.key).map(({ item }) => item)
}
