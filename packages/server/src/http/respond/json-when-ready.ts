import { untilAborted } from '@throughline/protocol/internal'
import type { Pieces } from '../../stream/bytes/encoded-pages.ts'
import type { HttpContext, Services } from '../request/context.ts'
import { untilBegin } from './respond-in-time.ts'
import { respondWithStream } from './respond-with-stream.ts'

/** A response in one piece. */
export interface JsonResponse {
  readonly body: object
  /** Default: 200. */
  readonly status?: 200 | 202 | 500 | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** A response that may take long. */
export interface AwaitedJson {
  readonly ready: Promise<JsonResponse>
  /** The status of a response that begins before it is ready. Default: 200. */
  readonly status?: 200 | 202
}

/** Blank space before JSON is a part of it, so readers do not notice it. */
const blank = Buffer.from('\n')

/**
 * Responds with JSON that has to be waited for. If that takes long, the response begins before it is ready, and has blank
 * lines as heartbeats. After that it is too late for another status, so a response that fails is cut off.
 */
export async function jsonWhenReady(
  context: HttpContext,
  services: Services,
  { ready, status = 200 }: AwaitedJson,
): Promise<Response> {
  const response = await untilBegin(context, services, ready)
  if (response !== undefined) return context.json(response.body, response.status ?? 200, response.headers)
  // Whoever has left does not hear of a failure.
  ready.catch(() => undefined)
  return respondWithStream(context, services, {
    status,
    headers: { 'content-type': 'application/json' },
    transport: { opening: blank, heartbeat: blank },
    async *view({ signal }): AsyncGenerator<Pieces, void, undefined> {
      const { body } = await untilAborted(ready, signal)
      yield [Buffer.from(JSON.stringify(body))]
    },
  })
}
