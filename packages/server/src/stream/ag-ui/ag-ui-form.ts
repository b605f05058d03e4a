import { encodeSse } from '@throughline/protocol/sse'
import type { Run } from '@throughline/store/runs'
import { joinPieces } from '../pieces.ts'
import { isOfRun } from '../run-entries.ts'
import type { RunForm } from '../run-form.ts'
import type { AgUiEvent } from './ag-ui-event.ts'
import { AgUiProjection } from './ag-ui-projection.ts'
import type { AgUiRequest } from './ag-ui-request.ts'

/** A run as AG-UI events. They have no ids: a client that asks again for the same answer gets it from its start. */
export function agUiForm(run: Run, request: AgUiRequest): RunForm {
  const projection = new AgUiProjection(request)
  return {
    readsWholeRun: true,
    encode: entries =>
      joinPieces(entries.filter(entry => isOfRun(entry, run)).map(entry => bytesOf(projection.write(entry)))),
    end: [],
    waiting: {
      isVisible: ({ messageId }) => request.subAgents !== 'hidden' || messageId === run.answerId,
      encode: approvals => [bytesOf(projection.suspend(approvals))],
    },
  }
}

function bytesOf(events: readonly AgUiEvent[]): Uint8Array {
  return Buffer.from(events.map(event => encodeSse({ data: JSON.stringify(event) })).join(''))
}
