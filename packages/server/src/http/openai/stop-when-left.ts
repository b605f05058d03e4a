import type { Run } from '@throughline/store/runs'
import type { HttpContext, Services } from '../context.ts'
import { closed } from '../respond-with-stream.ts'

/**
 * Stops a run if the client that asked for it leaves before the end of its response. OpenAI clients expect that: they
 * have no other way to stop an answer, and when a connection breaks, they ask again.
 */
export function stopWhenLeft(context: HttpContext, { runner, logger }: Services, run: Run): void {
  const { outgoing } = context.env
  const onClose = () => {
    if (outgoing.writableFinished || runner.active(run)?.run.id !== run.id) return
    runner.stop(run).catch(error => logger.error({ err: error, runId: run.id }, 'a run could not be stopped'))
  }
  const signal = closed(outgoing)
  if (signal.aborted) onClose()
  else signal.addEventListener('abort', onClose, { once: true })
}
