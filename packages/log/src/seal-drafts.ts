import { type Chunk, chunkProblem, type Entry, type EntryDraft } from '@throughline/protocol'
import { invalidChunkError, type LogName } from './log-store.ts'

/** A draft whose chunk is a copy that went through JSON. */
export interface SealedDraft extends EntryDraft {
  /** The chunk as JSON, as it is stored. */
  readonly json: string
}

/**
 * Returns copies of the drafts that went through JSON. So the writer gets exactly what every reader will get, and
 * nobody can change an entry through the object that they handed in. Throws a `LogError` (`invalid-chunk`) when a chunk
 * could not be read back; then nothing has been written yet.
 */
export function sealDrafts(log: LogName, drafts: readonly EntryDraft[]): readonly SealedDraft[] {
  return drafts.map(({ runId, messageId, chunk }) => {
    const json = jsonOf(chunk)
    if (json === undefined) throw invalidChunkError(log, 'a chunk must be JSON')
    const sealed = copyOfDelta(chunk) ?? JSON.parse(json)
    const problem = chunkProblem(sealed)
    if (problem !== undefined) throw invalidChunkError(log, problem)
    return { runId, messageId, chunk: sealed, json }
  })
}

/**
 * A shortcut: almost every chunk is a plain delta of text. Two strings go through JSON unchanged, so they need not be
 * parsed again.
 */
function copyOfDelta(chunk: Chunk): Chunk | undefined {
  if (chunk.type !== 'text-delta' || Object.keys(chunk).length !== 3) return undefined
  const { type, id, delta } = chunk
  return typeof id === 'string' && typeof delta === 'string' ? { type, id, delta } : undefined
}

function jsonOf(chunk: Chunk): string | undefined {
  try {
    return JSON.stringify(chunk)
  } catch {
    // The chunk has a cycle, a BigInt or a `toJSON` that throws, or it is nested too deep.
    return undefined
  }
}

/** Returns the entries for sealed drafts, numbered from `first` on and written at the time `at`. */
export function entriesFrom(
  sealed: readonly SealedDraft[],
  { first, at }: { readonly first: number; readonly at: number },
): readonly Entry[] {
  return sealed.map(({ runId, messageId, chunk }, index) => {
    return { seq: first + index, at, runId, messageId, chunk }
  })
}
