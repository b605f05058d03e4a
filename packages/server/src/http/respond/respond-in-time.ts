import { ProblemError } from '@throughline/protocol'
import { within } from '@throughline/protocol/internal'
import type { HttpContext, Services } from '../request/context.ts'
import { errorResponse } from './error-response.ts'

/**
 * Makes a response, and refuses the request with 503 when there is none in time, such as when the store hangs. What was begun
 * for the request goes on: a message that is sent again has the same id, and finds it. A client that is still sending its
 * body has time.
 */
export async function respondInTime(
  context: HttpContext,
  { patience, logger }: Pick<Services, 'patience' | 'logger'>,
  respond: () => Promise<void>,
): Promise<void> {
  const responded = respond().then(() => true)
  for (;;) {
    const received = context.env.receivedBytes()
    if ((await within(patience.refuseMs, responded)) === true) return
    if (context.env.receivedBytes() === received) break
  }
  responded.catch(error => logger.error({ err: error }, 'a request failed after it was refused'))
  logger.warn({ requestId: context.get('requestId') }, 'a request had no response in time, and was refused')
  context.res = errorResponse(context.req.path, tooSlow())
}

/** Waits for what a response needs. Returns `undefined` when it is time to begin the response without it. */
export function untilBegin<Value>(
  context: HttpContext,
  { patience }: Pick<Services, 'patience'>,
  wanted: Promise<Value>,
): Promise<Value | undefined> {
  const passedMs = performance.now() - context.get('begunAt')
  return within(Math.max(0, patience.beginMs - passedMs), wanted)
}

function tooSlow(): ProblemError {
  return new ProblemError(
    503,
    'too-slow',
    'The server could not respond in time. Try again in a moment. What has an id may be sent again, and is done once.',
  )
}
