import type { Entry } from '@throughline/protocol/entry'
import { formatPosition, type Position } from '@throughline/protocol/position'
import { encodeSse } from '@throughline/protocol/sse'
import type { Run } from '@throughline/store/runs'
import { doneFrame, isOfRun, joined, waitFrames } from './encode.ts'
import { beginInline, projectInline } from './inline-sub-agents.ts'
import type { RunForm } from './run-form.ts'

/** What a viewer of this form has already: everything up to a position, and some frames of the entry after it. */
export interface InlinePlace {
  readonly after: Position
  readonly frames: number
}

/**
 * The chunks of a run with its sub-agents' among them. What an entry becomes depends on those before it, so the form
 * is given the run from its start, whatever its viewer has seen, and writes nothing until it comes to the place.
 */
export function inlineForm(run: Run, { after, frames }: InlinePlace): RunForm {
  let state = beginInline(run.answerId)

  function encodeEntry(entry: Entry): readonly Uint8Array[] {
    const inlined = projectInline(state, entry)
    state = inlined.state
    if (entry.seq <= after.seq) return []
    const { seq } = entry
    const last = inlined.chunks.length - 1
    // A position lies between two entries; ids between the frames of one entry count on from the position before.
    return inlined.chunks
      .map((chunk, index) =>
        encodeSse({
          id:
            index === last
              ? formatPosition({ epoch: after.epoch, seq })
              : `${formatPosition({ epoch: after.epoch, seq: seq - 1 })}.${index + 1}`,
          data: JSON.stringify(chunk),
        }),
      )
      .slice(seq === after.seq + 1 ? frames : 0)
      .map(frame => Buffer.from(frame))
  }

  return {
    encode: entries => joined(entries.filter(entry => isOfRun(entry, run)).flatMap(encodeEntry)),
    end: [doneFrame],
    waiting: () => waitFrames,
  }
}

/** Takes an id of this form apart: where the viewer is in the log, and how many frames further. */
export function parseInlineId(id: string): { readonly position: string; readonly frames: number } {
  const [, position = id, frames = '0'] = /^([^.]+\.[^.]+)\.([1-9]\d{0,5})$/.exec(id) ?? []
  return { position, frames: Number(frames) }
}
