import type { Chunk } from '@throughline/protocol/chunk'
import type { Entry } from '@throughline/protocol/entry'
import type { Run } from '@throughline/store/runs'
import { chunkFor, doneFrame, isOfRun, joined, waitFramesFor } from '../chunks/encode.ts'
import { inlineChunks } from '../inline/inline-form.ts'
import type { RunForm } from '../run-form.ts'
import { entryFrames, type PlaceInFrames } from '../sse-events.ts'
import type { OlderSdk } from './sdk-fields.ts'
import { beginSdk, projectSdk } from './sdk-projection.ts'

export interface SdkFormOptions extends PlaceInFrames {
  readonly sdk: OlderSdk
  readonly subAgents: 'envelope' | 'inline' | 'hidden'
}

/** The chunks of a run as an older AI SDK reads them. Like the inline form, it is given the run from its start. */
export function sdkForm(run: Run, { sdk, subAgents, ...place }: SdkFormOptions): RunForm {
  const chunksOf = subAgents === 'inline' ? inlineChunks(run) : ownChunks(run, subAgents)
  let state = beginSdk(sdk)

  function encodeEntry(entry: Entry): readonly Uint8Array[] {
    const chunks = chunksOf(entry).flatMap(chunk => {
      const projected = projectSdk(state, chunk)
      state = projected.state
      return projected.chunks
    })
    return entryFrames(entry.seq, chunks, place)
  }

  return {
    encode: entries => joined(entries.filter(entry => isOfRun(entry, run)).flatMap(encodeEntry)),
    end: [doneFrame],
    waiting: () => waitFramesFor(chunk => projectSdk(state, chunk).chunks),
  }
}

function ownChunks(run: Run, subAgents: 'envelope' | 'hidden'): (entry: Entry) => readonly Chunk[] {
  return entry => {
    const isShown = subAgents === 'envelope' || entry.messageId === run.answerId
    return isShown ? [chunkFor(run.answerId, entry)] : []
  }
}
