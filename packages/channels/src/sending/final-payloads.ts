import { blocksOf } from '../cutting/block-chunker.ts'
import type { BlockChunkerOptions } from '../cutting/blocks.ts'
import type { Post } from './post.ts'
import type { RunOutbox } from './run-outbox.ts'

/** An answer, or the part of it that must be sent by now. */
export interface AnswerSoFar {
  readonly said: string
  /** The files of the answer, each with its position in the text. A file that came twice is in here once. */
  readonly files: ReadonlyMap<string, number>
  /** Texts behind this position are left out. */
  readonly upTo: number
}

/**
 * Returns what of an answer is not in the outbox yet. This is the only place where that is decided. The caller saves
 * each post before it takes the next one, because the next one begins where the outbox ends.
 */
export function* finalPayloads(
  { said, files, upTo }: AnswerSoFar,
  outbox: Pick<RunOutbox, 'reach' | 'hasSentPayload'>,
  limits: BlockChunkerOptions,
): Generator<Post, void, undefined> {
  for (const [url, position] of files) {
    const file = { media: [url] }
    if (outbox.hasSentPayload(file)) continue
    yield* unsentBlocks(said.slice(0, position), outbox.reach, limits)
    yield file
  }
  yield* unsentBlocks(said.slice(0, upTo), outbox.reach, limits)
}

function unsentBlocks(text: string, reach: number, limits: BlockChunkerOptions): readonly Post[] {
  return blocksOf(text.slice(reach), limits, { after: text.slice(0, reach) })
}
