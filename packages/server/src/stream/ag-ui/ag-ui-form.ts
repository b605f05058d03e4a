import type { Run } from '@throughline/store'
import { encodeProjected } from '../encode-projected.ts'
import { piecesOf } from '../pieces.ts'
import type { RunForm } from '../run-form.ts'
import { type SeenEvents, waitEvents } from '../sse-events.ts'
import { AgUiProjection } from './ag-ui-projection.ts'
import type { AgUiRequest } from './ag-ui-request.ts'

/** What a client has of the events of an AG-UI run. */
export interface SeenAgUi extends SeenEvents {
  /** How many of the events with which the stream ended where its run waits for approvals. */
  readonly atWait?: number
}

/**
 * A run as AG-UI events. Each event has an id, and a client that comes back with the last one gets exactly the events
 * after it.
 */
export function agUiForm(run: Run, request: AgUiRequest, { atWait = 0, ...seen }: SeenAgUi): RunForm {
  const projection = new AgUiProjection(request)
  const { epoch } = seen.after
  return {
    readsWholeRun: true,
    encode: encodeProjected(run, projection, seen),
    end: [],
    waiting: {
      isVisible: ({ messageId }) => request.subAgents !== 'hidden' || messageId === run.answerId,
      encode: approvals =>
        piecesOf(waitEvents({ epoch, seq: projection.lastSeq }, projection.suspend(approvals), atWait)),
    },
  }
}
