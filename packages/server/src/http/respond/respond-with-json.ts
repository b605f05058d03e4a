import { setImmediate } from 'node:timers/promises'
import type { StreamSink } from '../../stream/bytes/stream-sink.ts'
import type { HttpContext, Services } from '../request/context.ts'
import { jsonSlices } from './json-slices.ts'

/**
 * Responds with JSON that may be long, such as all messages of a chat. A short body is sent whole. A long one is made and
 * sent in slices with back pressure, and other work is done between two slices.
 */
export function respondWithJson(context: HttpContext, services: Services, value: object): Response {
  const slices = jsonSlices(value)
  const first = slices.next().value ?? ''
  const second = slices.next()
  if (second.done === true) return context.body(first, 200, { 'content-type': 'application/json' })
  const headers = {
    'content-type': 'application/json',
    // As for every response to an owner, see `app.ts`.
    'cache-control': 'private, no-cache',
    'x-content-type-options': 'nosniff',
    'x-request-id': context.get('requestId'),
    ...context.get('corsHeaders'),
  }
  if (context.req.method === 'HEAD') return new Response(null, { headers })
  const { sink, response } = context.env.openStream(headers)
  sendSlices(sink, [first, second.value, slices], services.maxStallMs).catch(error => {
    services.logger.error({ err: error, requestId: context.get('requestId') }, 'a response broke')
    // The connection is cut, not ended. So the client sees that something is missing.
    sink.cut()
  })
  return response
}

async function sendSlices(
  sink: StreamSink,
  [first, second, rest]: readonly [string, string, Iterable<string>],
  maxStallMs: number,
): Promise<void> {
  for (const slices of [[first, second], rest]) {
    for (const slice of slices) {
      if (sink.isClosed) return
      if (!sink.write(Buffer.from(slice))) await sink.drained(maxStallMs)
      await setImmediate()
    }
  }
  sink.end()
}
