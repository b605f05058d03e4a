import { ProblemError } from '@throughline/protocol'
import { untilAborted } from '@throughline/protocol/internal'
import type { Run } from '@throughline/store'
import type { Pieces } from '../../stream/bytes/encoded-pages.ts'
import type { LateForm } from '../../stream/run-form.ts'
import type { ViewSignals } from '../../stream/run-pages.ts'
import { viewRun } from '../../stream/view-run.ts'
import type { HttpContext, Services } from '../request/context.ts'
import { problemFrom } from './problem-from.ts'
import { untilBegin } from './respond-in-time.ts'
import { respondWithStream } from './respond-with-stream.ts'
import { assertKept, type RunToStream, streamRun } from './stream-run.ts'

/** A run that may have to wait for its chat, and how its stream looks until then. */
export interface AwaitedStream extends LateForm {
  readonly run: Promise<Run>
  /** Returns what the client is shown of the run. */
  readonly show: (run: Run) => Promise<RunToStream> | RunToStream
}

/**
 * Responds with the stream of a run. If the run has to wait for its chat, the stream begins before it, and has heartbeats until
 * then. After that it is too late for another status, so a refusal is in the stream.
 */
export async function streamWhenBegun(
  context: HttpContext,
  services: Services,
  awaited: AwaitedStream,
): Promise<Response> {
  const { run, show, headers, transport } = awaited
  const begun = await untilBegin(context, services, run)
  if (begun !== undefined) return streamRun(context, services, await show(begun))
  // Whoever has left does not hear of a refusal.
  run.catch(() => undefined)
  return respondWithStream(context, services, {
    headers,
    transport,
    view: signals => viewWhenBegun(context, services, { ...awaited, ...signals }),
  })
}

async function* viewWhenBegun(
  context: HttpContext,
  services: Services,
  { run, show, refusal, ...signals }: AwaitedStream & ViewSignals,
): AsyncGenerator<Pieces, void, undefined> {
  const shown = await shownOrProblem(context, services, { run, show, ...signals })
  if (shown instanceof ProblemError) {
    yield refusal(shown)
    return
  }
  const { presence, onSent, run: begun, ...view } = shown
  presence.take()
  const how = yield* viewRun(services.store, begun, { ...view, ...signals })
  if (how === 'ended' && onSent !== undefined) context.env.onSent(onSent)
}

/** Throws when the viewer leaves, or when the server shuts down. */
async function shownOrProblem(
  context: HttpContext,
  services: Services,
  { run, show, signal, closing }: Pick<AwaitedStream, 'run' | 'show'> & ViewSignals,
): Promise<RunToStream | ProblemError> {
  try {
    const shown = await show(await untilAborted(run, signal))
    await assertKept(services, shown)
    return shown
  } catch (error) {
    if (signal.aborted || closing.aborted) throw error
    if (error instanceof ProblemError) return error
    const requestId = context.get('requestId')
    services.logger.error({ err: error, requestId }, 'request failed')
    return problemFrom(error, requestId)
  }
}
