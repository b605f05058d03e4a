import { LogError } from '@throughline/log'
import { chunkProblem, type EntryDraft, FoldError } from '@throughline/protocol'

/** Thrown for a chunk that no reader could read. Everything before it is in the log. */
export class RefusedChunkError extends Error {
  override readonly name = 'RefusedChunkError'
  readonly code = 'refused-chunk'
  /** What is wrong, in words for people. Names types and fields, never contents. */
  readonly problem: string

  constructor({ messageId, chunk }: EntryDraft, cause: unknown) {
    const problem = problemOf({ chunk }, cause)
    super(`Message ${messageId}: ${problem}. Ensure that only valid chunks are written.`, { cause })
    this.problem = problem
  }
}

/**
 * Appends drafts to the log, all at once. If one of them cannot be read, appends those before it, and throws a
 * `RefusedChunkError`. Errors of the log itself are thrown as they are.
 */
export async function appendReadable(
  append: (drafts: readonly EntryDraft[]) => Promise<void>,
  drafts: readonly EntryDraft[],
): Promise<void> {
  try {
    await append(drafts)
  } catch (error) {
    if (!isRefusal(error)) throw error
    // Nothing was written. The drafts are appended one by one, and the first one that fails is the bad one.
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
