import { logName } from '@throughline/log'
import type { Run } from '@throughline/store'
import type { Seat } from '../runs/chat-viewers.ts'
import { runStart, type ViewSignals } from '../stream/run-pages.ts'
import { type RunView, viewRun } from '../stream/view-run.ts'
import type { HttpContext, Services } from './context.ts'
import { respondWithStream } from './respond-with-stream.ts'

/** A run as one client sees it. */
export interface StreamedRun extends Omit<RunView, keyof ViewSignals> {
  readonly run: Run
  readonly seat: Seat
  /** Headers of this response, beside those of its form. */
  readonly headers?: Readonly<Record<string, string>>
  /** Called when the run has ended and all its bytes have left this process. */
  readonly onSent?: () => void
}

/**
 * Responds with a run in one of its wire forms. Throws a `LogError` (`unknown-position`) when the log does not keep the
 * run any more.
 */
export async function streamRun(
  context: HttpContext,
  services: Services,
  { run, seat, headers, onSent, ...view }: StreamedRun,
): Promise<Response> {
  if (run.status !== 'running' && view.isAtEnd !== true) await assertKept(services, run)
  const { form } = view
  const { env } = context
  return respondWithStream(context, services, {
    seat,
    headers: { ...form.headers, ...headers },
    transport: form.transport,
    view: signals => viewRun(services.store, run, { ...view, ...signals }),
    onEnd: how => {
      if (how === 'ended' && onSent !== undefined) env.onSent(onSent)
    },
  })
}

/** Throws when the entries of a run that has ended were trimmed. Once a stream has begun, it is too late to say so. */
async function assertKept({ store: { log } }: Services, run: Run): Promise<void> {
  await log.read(logName(run), await runStart(log, run), 1)
}
