/**
 * Yields the JSON of a value in small pieces. Lists and objects near the top are cut, so a long list of messages with
 * long lists of parts is never made into one text. The pieces together are what `JSON.stringify` returns. `value` holds
 * only what JSON has.
 */
export function* jsonPieces(value: unknown, depth = maxCutDepth): Generator<string, void, undefined> {
  if (depth === 0 || typeof value !== 'object' || value === null) yield JSON.stringify(value) ?? 'null'
  else if (Array.isArray(value)) yield* listPieces(value, depth)
  else yield* objectPieces(value, depth)
}

/** The response, its messages, a message, its parts. */
const maxCutDepth = 4

function* listPieces(list: readonly unknown[], depth: number): Generator<string, void, undefined> {
  yield '['
  for (const [index, item] of list.entries()) {
    if (index > 0) yield ','
    yield* jsonPieces(item, depth - 1)
  }
  yield ']'
}

function* objectPieces(object: object, depth: number): Generator<string, void, undefined> {
  let before = '{'
  for (const [key, field] of Object.entries(object)) {
    if (field === undefined) continue
    yield `${before}${JSON.stringify(key)}:`
    yield* jsonPieces(field, depth - 1)
    before = ','
  }
  yield before === '{' ? '{}' : '}'
}

const sliceLength = 64 * 1024

/** Yields the JSON of a value in slices of about 64 KB, each large enough for one write. */
export function* jsonSlices(value: unknown): Generator<string, void, undefined> {
  let slice = ''
  for (const piece of jsonPieces(value)) {
    slice += piece
    if (slice.length < sliceLength) continue
    yield slice
    slice = ''
  }
  yield slice
}
