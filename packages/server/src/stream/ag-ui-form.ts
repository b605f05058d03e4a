import { encodeSse } from '@throughline/protocol/sse'
import type { Run } from '@throughline/store/runs'
import { projectAgUi } from './ag-ui.ts'
import { type AgUiRequest, beginAgUi } from './ag-ui-state.ts'
import { isOfRun, joined } from './encode.ts'
import type { RunForm } from './run-form.ts'

/** A run as AG-UI events. They have no ids: whoever asks again for the same answer gets it from its start. */
export function agUiForm(run: Run, request: AgUiRequest): RunForm {
  let state = beginAgUi(request)
  return {
    encode: entries =>
      joined(
        entries
          .filter(entry => isOfRun(entry, run))
          .map(entry => {
            const projected = projectAgUi(state, entry)
            state = projected.state
            const frames = projected.events.map(event => encodeSse({ data: JSON.stringify(event) }))
            return Buffer.from(frames.join(''))
          }),
      ),
    end: [],
  }
}
