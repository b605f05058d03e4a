import type { Seat } from '../../runs/chat-viewers.ts'
import { chunkForm } from '../../stream/chunks/chunk-form.ts'
import { dataStreamForm } from '../../stream/data-stream/data-stream-form.ts'
import { inlineForm } from '../../stream/inline/inline-form.ts'
import type { RunForm } from '../../stream/run-form.ts'
import { sdkForm } from '../../stream/sdk/sdk-form.ts'
import type { HttpContext, Services } from '../context.ts'
import { streamRun } from '../stream-run.ts'
import type { StreamForm } from '../wire-form.ts'
import type { PositionInRun } from './position-in-run.ts'

export interface ShownRun extends PositionInRun, StreamForm {
  readonly seat: Seat
}

/** Responds to a stock client with a run, from some position on, in the form that the client asked for. */
export function streamChat(context: HttpContext, services: Services, shown: ShownRun): Response {
  const { run, after, isAtEnd, joinedAt, approvals, seat } = shown
  return streamRun(context, services, { run, after, isAtEnd, joinedAt, approvals, seat, form: formOf(shown) })
}

function formOf({ run, after, events = 0, continues = false, form: subAgents, sdk }: ShownRun): RunForm {
  if (subAgents === 'data-stream') return dataStreamForm(run)
  const options = { seen: { after, events }, continues }
  if (sdk !== undefined) return sdkForm(run, { ...options, sdk, subAgents })
  return subAgents === 'inline' ? inlineForm(run, options) : chunkForm(run, { ...options, subAgents })
}
