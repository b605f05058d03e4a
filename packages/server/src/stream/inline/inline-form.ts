import type { Run } from '@throughline/store'
import { type ChunkFormOptions, chunkStream, chunksAtWait, visibleIn } from '../chunks/chunk-stream.ts'
import { withVersionNote } from '../chunks/version-note.ts'
import { encodeProjected } from '../encode-projected.ts'
import type { DirectForm } from '../run-form.ts'
import { InlineProjection } from './inline-projection.ts'

/** The chunks of a run with its sub-agents' parts in the answer. */
export function inlineForm(
  run: Run,
  { seen, hasVersionNote = false, ...options }: ChunkFormOptions,
): DirectForm {
  const inline = new InlineProjection(run)
  return {
    ...chunkStream(run, options),
    readsWholeRun: true,
    encode: encodeProjected(run, hasVersionNote ? withVersionNote(inline) : inline, seen),
    waiting: { isVisible: visibleIn(run, 'inline'), encode: () => chunksAtWait() },
  }
}
