import type { Presence } from '../../stream/chat-viewers.ts'
import { chunkForm, lateChunks } from '../../stream/chunks/chunk-stream.ts'
import { dataStreamForm, lateDataStream } from '../../stream/data-stream/data-stream-form.ts'
import { inlineForm } from '../../stream/inline/inline-projection.ts'
import type { DirectForm, LateForm } from '../../stream/run-form.ts'
import { sdkForm } from '../../stream/sdk/sdk-projection.ts'
import type { HttpContext, Services } from '../request/context.ts'
import { type RunToStream, streamRun } from '../respond/stream-run.ts'
import type { StreamForm } from '../respond/wire-form.ts'
import type { PositionInRun } from './position-in-run.ts'
import { streamIdOf } from './stream-id.ts'

/** The run that a stream shows, from where on, and in which form. */
export interface ShownRun extends PositionInRun, StreamForm {
  readonly presence: Presence
}

/** Responds to a stock client with a run, from some position on, in the form that the client asked for. */
export function streamChat(context: HttpContext, services: Services, shown: ShownRun): Promise<Response> {
  return streamRun(context, services, shownChat(shown))
}

/** Returns what a stock client is shown of a run. */
export function shownChat(shown: ShownRun): RunToStream {
  const { run, after, isAtEnd, joinedAt, approvals, presence } = shown
  const form = shown.form === 'data-stream' ? dataStreamForm(run) : chunkFormOf(shown)
  return { run, after, isAtEnd, joinedAt, approvals, presence, form, headers: streamHeadersOf(shown) }
}

/** Returns how a stream for a stock client begins before its run. */
export function lateChat({ form }: Pick<StreamForm, 'form'>): LateForm {
  return form === 'data-stream' ? lateDataStream : lateChunks
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
