import type { Run } from '@throughline/store'
import { piecesOf } from '../pieces.ts'
import { isOfRun } from '../run-entries.ts'
import type { RunForm } from '../run-form.ts'
import { DataStreamProjection } from './data-stream-projection.ts'

/** The same headers as an AI SDK 4 server's. */
export const dataStreamHeaders = {
  'content-type': 'text/plain; charset=utf-8',
  'x-vercel-ai-data-stream': 'v1',
}

/** The heartbeat is a line without data. Readers of this form know neither comments nor `retry:`. */
const transport = { opening: new Uint8Array(), heartbeat: Buffer.from('2:[]\n') }

/** The answer as data stream lines of AI SDK 4. The form has neither ids nor an end of its own. */
export function dataStreamForm(run: Run): RunForm {
  const projection = new DataStreamProjection(run)
  return {
    headers: dataStreamHeaders,
    transport,
    encode: entries =>
      piecesOf(entries.filter(entry => isOfRun(entry, run)).flatMap(entry => projection.write(entry))),
    end: [],
  }
}
