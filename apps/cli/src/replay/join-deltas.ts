import type { Chunk, Entry } from '@throughline/protocol'

/** One entry, or several deltas of the same part joined into one. */
export interface Row {
  readonly first: Entry
  readonly last: Entry
  readonly chunk: Chunk
}

/** Joins deltas of one part that follow each other. A text is easier to read on one line than on a hundred. */
export async function* joinDeltas(
  pages: AsyncIterable<readonly Entry[]>,
): AsyncGenerator<Row, void, undefined> {
  let row: Row | undefined
  for await (const entries of pages) {
    for (const entry of entries) {
      const joined = row === undefined ? undefined : joinedChunk(row, entry)
      if (row !== undefined && joined === undefined) yield row
      row =
        row === undefined || joined === undefined
          ? { first: entry, last: entry, chunk: entry.chunk }
          : { first: row.first, last: entry, chunk: joined }
    }
  }
  if (row !== undefined) yield row
}

function joinedChunk({ last, chunk: before }: Row, { messageId, chunk }: Entry): Chunk | undefined {
  if (last.messageId !== messageId) return undefined
  if (before.type === 'text-delta' && chunk.type === 'text-delta' && before.id === chunk.id)
    return { ...before, delta: before.delta + chunk.delta }
  if (before.type === 'reasoning-delta' && chunk.type === 'reasoning-delta' && before.id === chunk.id)
    return { ...before, delta: before.delta + chunk.delta }
  const isInput = before.type === 'tool-input-delta' && chunk.type === 'tool-input-delta'
  if (isInput && before.toolCallId === chunk.toolCallId)
    return { ...before, inputTextDelta: before.inputTextDelta + chunk.inputTextDelta }
  return undefined
}
