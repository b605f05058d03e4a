import { encodeSse } from '@throughline/protocol'
import type { Run } from '@throughline/store'
import { piecesOf } from '../pieces.ts'
import { isOfRun } from '../run-entries.ts'
import type { RunForm } from '../run-form.ts'
import { openAiTransport } from './open-ai-transport.ts'
import type { ResponseRequest } from './response.ts'
import { ResponseProjection } from './response-projection.ts'

/** The options of a stream of a response. */
export interface ResponseFormOptions {
  readonly request: ResponseRequest
  /** The client has everything up to this entry from earlier responses. */
  readonly after?: number | undefined
  /** The `sequence_number` of the last event that the client has; by default it has none. */
  readonly startingAfter?: number | undefined
}

/** The answer as a stream of response events. It ends where the run waits for calls of the client, and stays open while it waits for approvals. */
export function responseForm(run: Run, { request, after, startingAfter = -1 }: ResponseFormOptions): RunForm {
  const projection = new ResponseProjection(run, { request, after })
  return {
    transport: openAiTransport,
    // The numbers of the events count from the start of the run.
    readsWholeRun: true,
    encode: entries =>
      piecesOf(
        entries
          .filter(entry => isOfRun(entry, run))
          .flatMap(entry => projection.write(entry))
          .filter(({ sequence_number }) => sequence_number > startingAfter)
          .map(event => encodeSse({ event: event.type, data: JSON.stringify(event) })),
      ),
    end: [],
    waiting: { isVisible: ({ kind }) => kind === 'output', encode: () => [] },
  }
}
