import { LogError } from '@throughline/log/log-store'
import { chunkProblem } from '@throughline/protocol/chunk'
import type { EntryDraft } from '@throughline/protocol/entry'
import { FoldError } from '@throughline/protocol/fold-error'

/** A chunk that no reader could read again. It is not in the log; everything before it is. */
export class RefusedChunkError extends Error {
  override readonly name = 'RefusedChunkError'
  readonly code = 'refused-chunk'
  /** What is wrong, in words that a person may read. It names types and fields, never contents. */
  readonly problem: string

  constructor({ messageId, chunk }: EntryDraft, cause: unknown) {
    const problem = problemOf({ chunk }, cause)
    super(`Message ${messageId}: ${problem}. Ensure that only valid chunks are written.`, { cause })
    this.problem = problem
  }
}

/**
 * Appends drafts, all at once. When one of them cannot be read again, those before it are appended all the same, and
 * a `RefusedChunkError` is thrown. Other errors are the log's own and pass through.
 */
export async function appendReadable(
  append: (drafts: readonly EntryDraft[]) => Promise<void>,
  drafts: readonly EntryDraft[],
): Promise<void> {
  try {
    await append(drafts)
  } catch (error) {
    if (!isRefusal(error)) throw error
    // Nothing was written. One by one, the bad one is the first that fails.
    for (const draft of drafts) await appendOne(append, draft)
  }
}

async function appendOne(
  append: (drafts: readonly EntryDraft[]) => Promise<void>,
  draft: EntryDraft,
): Promise<void> {
  try {
    await append([draft])
  } catch (error) {
    throw isRefusal(error) ? new RefusedChunkError(draft, error) : error
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof FoldError || (error instanceof LogError && error.code === 'invalid-chunk')
}

function problemOf({ chunk }: Pick<EntryDraft, 'chunk'>, cause: unknown): string {
  if (cause instanceof FoldError) return `a ${chunk.type} chunk came for what is not open`
  return chunkProblem(chunk) ?? `a ${chunk.type} chunk must be JSON`
}
