import type { StreamSink } from '../../stream/bytes/stream-sink.ts'
import { dataHeaders } from '../request/browser-policies.ts'
import type { HttpContext, Services } from '../request/context.ts'

/** A body that is in memory, and its headers. */
export interface Body {
  readonly bytes: Uint8Array
  readonly headers: Readonly<Record<string, string>>
}

/**
 * Responds with bytes in slices, with back pressure. So a slow reader does not hold a copy of them, and one that takes
 * nothing for too long is cut off. `onSent` is called when the bytes are not needed any more.
 */
export function respondWithBytes(
  context: HttpContext,
  { logger, maxStallMs }: Pick<Services, 'logger' | 'maxStallMs'>,
  { bytes, headers, onSent }: Body & { readonly onSent: () => void },
): Response {
  const requestId = context.get('requestId')
  const all = {
    ...dataHeaders,
    'content-length': `${bytes.byteLength}`,
    'x-request-id': requestId,
    ...context.get('corsHeaders'),
    ...headers,
  }
  if (context.req.method === 'HEAD') {
    onSent()
    return new Response(null, { headers: all })
  }
  const { sink, response } = context.env.openStream(all)
  sendBytes(sink, bytes, maxStallMs)
    .catch(error => {
      logger.error({ err: error, requestId }, 'a response broke')
      sink.cut()
    })
    .finally(onSent)
  return response
}

const sliceLength = 64 * 1024

async function sendBytes(sink: StreamSink, bytes: Uint8Array, maxStallMs: number): Promise<void> {
  for (let start = 0; start < bytes.byteLength; start += sliceLength) {
    if (sink.isClosed) return
    if (!sink.write(bytes.subarray(start, start + sliceLength))) await sink.drained(maxStallMs)
  }
  sink.end()
}
