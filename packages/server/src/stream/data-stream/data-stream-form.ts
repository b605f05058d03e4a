import type { Run } from '@throughline/store/runs'
import { isOfRun, joined } from '../chunks/encode.ts'
import type { RunForm } from '../run-form.ts'
import { beginDataStream, projectDataStream } from './data-stream-projection.ts'

/** The answer as AI SDK 4 data stream lines. There is room for one message only: sub-agents' are left out. */
export function dataStreamForm(run: Run): RunForm {
  let state = beginDataStream(run.answerId)
  return {
    encode: entries =>
      joined(
        entries
          .filter(entry => isOfRun(entry, run) && entry.messageId === run.answerId)
          .map(({ chunk }) => {
            const projected = projectDataStream(state, chunk)
            state = projected.state
            return Buffer.from(projected.lines.join(''))
          }),
      ),
    end: [],
  }
}
