import type { Entry } from '@throughline/protocol/entry'
import { encodeSse } from '@throughline/protocol/sse'
import type { Run } from '@throughline/store/runs'
import { isOfRun, joined } from '../chunks/encode.ts'
import type { RunForm } from '../run-form.ts'
import type { AgUiEvent } from './ag-ui-event.ts'
import { projectAgUi } from './ag-ui-projection.ts'
import { type AgUiRequest, beginAgUi } from './ag-ui-state.ts'
import { resumed, suspended } from './ag-ui-wait.ts'

export interface AgUiFormOptions extends AgUiRequest {
  /** The client has everything up to this entry from an earlier run, which was interrupted there. */
  readonly resumesAfter?: number | undefined
}

/**
 * A run as AG-UI events. They have no ids: whoever asks again for the same answer gets it from its start. What an entry
 * becomes depends on those before it, so the form is given the run from its start also when the client resumes it.
 */
export function agUiForm(run: Run, { resumesAfter = 0, ...request }: AgUiFormOptions): RunForm {
  let state = beginAgUi(request)
  let at = 0

  function eventsOf(entry: Entry): readonly AgUiEvent[] {
    const projected = projectAgUi(state, entry)
    state = projected.state
    at = entry.at
    if (entry.seq > resumesAfter) return projected.events
    return entry.seq === resumesAfter ? resumed(state, at) : []
  }

  return {
    encode: entries =>
      joined(entries.filter(entry => isOfRun(entry, run)).map(entry => bytesOf(eventsOf(entry)))),
    end: [],
    waiting: approvals => [bytesOf(suspended(state, approvals, at))],
  }
}

function bytesOf(events: readonly AgUiEvent[]): Uint8Array {
  return Buffer.from(events.map(event => encodeSse({ data: JSON.stringify(event) })).join(''))
}
