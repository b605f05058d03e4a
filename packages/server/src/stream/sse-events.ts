import type { Chunk } from '@throughline/protocol/chunk'
import { formatPosition, type Position } from '@throughline/protocol/position'
import { encodeSse } from '@throughline/protocol/sse'

/** What a viewer has already: everything up to a position, and some frames of the entry after it. */
export interface PlaceInFrames {
  readonly after: Position
  readonly frames: number
}

/**
 * The frames of an entry that becomes any number of chunks, without those that the viewer has. A position lies between two
 * entries; ids between the frames of one entry count on from the position before.
 */
export function entryFrames(
  seq: number,
  chunks: readonly Chunk[],
  { after, frames }: PlaceInFrames,
): readonly Uint8Array[] {
  if (seq <= after.seq) return []
  const { epoch } = after
  const last = chunks.length - 1
  return chunks
    .map((chunk, index) => {
      const within = `${formatPosition({ epoch, seq: seq - 1 })}.${index + 1}`
      const id = index === last ? formatPosition({ epoch, seq }) : within
      return encodeSse({ id, data: JSON.stringify(chunk) })
    })
    .slice(seq === after.seq + 1 ? frames : 0)
    .map(frame => Buffer.from(frame))
}

/** Takes an id of such a frame apart: where the viewer is in the log, and how many frames further. */
export function parseFrameId(id: string): { readonly position: string; readonly frames: number } {
  const [, position = id, frames = '0'] = /^([^.]+\.[^.]+)\.([1-9]\d{0,5})$/.exec(id) ?? []
  return { position, frames: Number(frames) }
}
