import type { Run } from '@throughline/store'
import type { DirectForm } from '../run-form.ts'
import type { ApartSubAgents } from './chunk-projection.ts'
import { type ChunkFormOptions, chunkStream, chunksAtWait, visibleIn } from './chunk-stream.ts'
import { encodeChunks } from './encode-chunks.ts'

/** The options of a form with the chunks of sub-agents apart from the answer, or without them. */
export interface ApartFormOptions extends ChunkFormOptions {
  readonly subAgents: ApartSubAgents
}

/** The AI SDK's own chunks. Entries do not depend on each other here, so a viewer can join at any of them. */
export function chunkForm(
  run: Run,
  { seen, subAgents, hasVersionNote = false, ...options }: ApartFormOptions,
): DirectForm {
  return {
    ...chunkStream(run, options),
    encode: encodeChunks(seen.after.epoch, run, { subAgents, hasVersionNote }),
    waiting: { isVisible: visibleIn(run, subAgents), encode: () => chunksAtWait() },
  }
}
