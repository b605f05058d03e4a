import type { Run } from '@throughline/store'
import type { HttpContext, Services } from '../request/context.ts'

/**
 * Stops a run if the client that asked for it leaves before the end of its response. OpenAI clients expect that: they
 * have no other way to stop an answer, and when a connection breaks, they ask again.
 */
export function stopWhenLeft(context: HttpContext, { runner, logger }: Services, run: Run): void {
  const { closed, onSent } = context.env
  let isSent = false
  onSent(() => {
    isSent = true
  })
  const onClose = () => {
    if (isSent) return
    // Only this run: the chat may be at another one by now.
    runner
      .stop(run, run.id)
      .catch(error => logger.error({ err: error, runId: run.id }, 'a run could not be stopped'))
  }
  if (closed.aborted) onClose()
  else closed.addEventListener('abort', onClose, { once: true })
}
