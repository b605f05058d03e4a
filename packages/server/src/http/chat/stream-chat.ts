import type { Seat } from '../../runs/chat-viewers.ts'
import { chunkForm } from '../../stream/chunks/chunk-form.ts'
import { dataStreamForm } from '../../stream/data-stream/data-stream-form.ts'
import { inlineForm } from '../../stream/inline/inline-form.ts'
import type { DirectForm } from '../../stream/run-form.ts'
import { sdkForm } from '../../stream/sdk/sdk-form.ts'
import type { HttpContext, Services } from '../context.ts'
import { streamRun } from '../stream-run.ts'
import type { StreamForm } from '../wire-form.ts'
import type { PositionInRun } from './position-in-run.ts'
import { streamIdOf } from './stream-id.ts'

/** The run that a stream shows, from where on, and in which form. */
export interface ShownRun extends PositionInRun, StreamForm {
  readonly seat: Seat
}

/** Responds to a stock client with a run, from some position on, in the form that the client asked for. */
export function streamChat(context: HttpContext, services: Services, shown: ShownRun): Promise<Response> {
  const { run, after, isAtEnd, joinedAt, approvals, seat } = shown
  const form = shown.form === 'data-stream' ? dataStreamForm(run) : chunkFormOf(shown)
  const headers = streamHeadersOf(shown)
  return streamRun(context, services, { run, after, isAtEnd, joinedAt, approvals, seat, form, headers })
}

/** Returns the form of a run for a client that reads chunks. */
export function chunkFormOf(
  shown: PositionInRun & Pick<StreamForm, 'form' | 'sdk' | 'hasVersionNote'>,
): DirectForm {
  const { run, after, events = 0, continues = false, form, sdk, hasVersionNote } = shown
  const options = { seen: { after, events }, continues, hasVersionNote }
  // Data stream lines have a form of their own. They show the master only.
  const subAgents = form === 'data-stream' ? 'hidden' : form
  if (sdk !== undefined) return sdkForm(run, { ...options, sdk, subAgents })
  return subAgents === 'inline' ? inlineForm(run, options) : chunkForm(run, { ...options, subAgents })
}

/** The name of the stream, for clients that count its chunks. A stream that begins inside an entry has none. */
function streamHeadersOf(shown: ShownRun): Readonly<Record<string, string>> {
  const { form, events = 0, isAtEnd = false } = shown
  const isCounted = form !== 'data-stream' && events === 0 && !isAtEnd
  return isCounted ? { 'x-workflow-run-id': streamIdOf(shown) } : {}
}
