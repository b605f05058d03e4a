import type { Run } from '@throughline/store'
import type { Pieces } from '../bytes/encoded-pages.ts'
import { plainEvent } from '../bytes/sse-events.ts'
import type { DirectForm } from '../run-form.ts'
import { isRunEnd } from '../run-pages.ts'

/** What a client that counts has of a stream. */
interface Counted {
  readonly run: Pick<Run, 'id' | 'answerId' | 'kind'>
  /** How many chunks. */
  readonly chunks: number
}

/**
 * Returns a form of chunks without the first ones of its stream, for a client that counts what it has. Each chunk is one
 * SSE event.
 *
 * Such a client asks again until it gets a `finish` chunk. An answer that was stopped or has failed has none, so here the
 * stream ends with one in any case.
 */
export function chunksAfter(form: DirectForm, { run, chunks }: Counted): DirectForm {
  let toSkip = chunks
  let hasFinished = false
  const rest = (pieces: Pieces): Pieces => {
    if (toSkip === 0) return pieces
    return pieces.flatMap(piece => {
      const { bytes, skipped } = withoutEvents(piece, toSkip)
      toSkip -= skipped
      return bytes.length === 0 ? [] : [bytes]
    })
  }
  return {
    ...form,
    ...(form.start && { start: rest(form.start) }),
    encode(entries) {
      const pieces = rest(form.encode(entries))
      const last = entries.at(-1)
      if (last !== undefined && isRunEnd(last, run))
        hasFinished = last.chunk.type === 'finish' && pieces.length > 0
      return pieces
    },
    get end() {
      return hasFinished ? form.end : [plainEvent({ type: 'finish' }), ...form.end]
    },
    ...(form.waiting && {
      waiting: { ...form.waiting, encode: approvals => rest(form.waiting?.encode(approvals) ?? []) },
    }),
  }
}

/** Returns the number of SSE events in these pieces. A blank line ends each event, and none has one inside. */
export function countEvents(pieces: Pieces): number {
  return pieces.reduce((count, piece) => count + withoutEvents(piece, Number.POSITIVE_INFINITY).skipped, 0)
}

function withoutEvents(piece: Uint8Array, count: number): { bytes: Uint8Array; skipped: number } {
  const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength)
  let start = 0
  let skipped = 0
  while (skipped < count) {
    const end = bytes.indexOf('\n\n', start)
    if (end === -1) break
    start = end + 2
    skipped += 1
  }
  return { bytes: piece.subarray(start), skipped }
}
