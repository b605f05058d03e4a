import { logName } from '@throughline/log'
import type { Run } from '@throughline/store'
import type { Presence } from '../../stream/chat-viewers.ts'
import { runStart, type ViewSignals } from '../../stream/run-pages.ts'
import { type RunView, viewRun } from '../../stream/view-run.ts'
import type { HttpContext, Services } from '../request/context.ts'
import { respondWithStream } from './respond-with-stream.ts'

/** A run as one client sees it. */
export interface RunToStream extends Omit<RunView, keyof ViewSignals> {
  readonly run: Run
  readonly presence: Presence
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
  { run, presence, headers, onSent, ...view }: RunToStream,
): Promise<Response> {
  await assertKept(services, { run, isAtEnd: view.isAtEnd })
  const { form } = view
  const { env } = context
  return respondWithStream(context, services, {
    presence,
    headers: { ...form.headers, ...headers },
    transport: form.transport,
    view: signals => viewRun(services.store, run, { ...view, ...signals }),
    onEnd: how => {
      if (how === 'ended' && onSent !== undefined) env.onSent(onSent)
    },
  })
}

/** Throws when the entries of a run that has ended were trimmed. Once a stream has begun, it is too late to say so. */
export async function assertKept(
  { store: { log } }: Services,
  { run, isAtEnd }: Pick<RunToStream, 'run' | 'isAtEnd'>,
): Promise<void> {
  if (run.status === 'running' || isAtEnd === true) return
  await log.read(logName(run), await runStart(log, run), 1)
}
