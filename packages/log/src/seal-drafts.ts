import { type Chunk, chunkProblem } from '@throughline/protocol/chunk'
import type { Entry, EntryDraft } from '@throughline/protocol/entry'
import { invalidChunkError, type LogName } from './log-store.ts'

/** A draft as the log keeps it. */
export interface SealedDraft extends EntryDraft {
  /** The chunk as it is stored. */
  readonly json: string
}

/**
 * The drafts as JSON brings them back: the writer gets what every reader will get, and nobody can change it
 * through an object of his own. What could not be read again is refused before anything is written.
 */
export function sealDrafts(log: LogName, drafts: readonly EntryDraft[]): readonly SealedDraft[] {
  return drafts.map(({ runId, messageId, chunk }) => {
    const json = jsonOf(chunk)
    if (json === undefined) throw invalidChunkError(log, 'a chunk must be JSON')
    const sealed = JSON.parse(json)
    const problem = chunkProblem(sealed)
    if (problem !== undefined) throw invalidChunkError(log, problem)
    return { runId, messageId, chunk: sealed, json }
  })
}

function jsonOf(chunk: Chunk): string | undefined {
  try {
    return JSON.stringify(chunk)
  } catch {
    // A cycle, a big integer, a `toJSON` that throws, or nested too deep.
    return undefined
  }
}

/** The entries that sealed drafts become, numbered from `first` on. */
export function entriesFrom(
  sealed: readonly SealedDraft[],
  { first, at }: { readonly first: number; readonly at: number },
): readonly Entry[] {
  return sealed.map(({ runId, messageId, chunk }, index) => {
    return { seq: first + index, at, runId, messageId, chunk }
  })
}
