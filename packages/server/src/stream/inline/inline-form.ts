import type { Chunk } from '@throughline/protocol/chunk'
import type { Entry } from '@throughline/protocol/entry'
import type { Run } from '@throughline/store/runs'
import { doneFrame, isOfRun, joined, waitFrames } from '../chunks/encode.ts'
import type { RunForm } from '../run-form.ts'
import { entryFrames, type PlaceInFrames } from '../sse-events.ts'
import { beginInline, projectInline } from './inline-projection.ts'

/**
 * The chunks of a run with its sub-agents' among them. What an entry becomes depends on those before it, so the form
 * is given the run from its start, whatever its viewer has seen, and writes nothing until it comes to the place.
 */
export function inlineForm(run: Run, place: PlaceInFrames): RunForm {
  const chunksOf = inlineChunks(run)
  return {
    encode: entries =>
      joined(
        entries
          .filter(entry => isOfRun(entry, run))
          .flatMap(entry => entryFrames(entry.seq, chunksOf(entry), place)),
      ),
    end: [doneFrame],
    waiting: () => waitFrames,
  }
}

/** A function that remembers: given a run's entries from its start, it returns what each becomes. */
export function inlineChunks(run: Pick<Run, 'answerId'>): (entry: Entry) => readonly Chunk[] {
  let state = beginInline(run.answerId)
  return entry => {
    const inlined = projectInline(state, entry)
    state = inlined.state
    return inlined.chunks
  }
}
