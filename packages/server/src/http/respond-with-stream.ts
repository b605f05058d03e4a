import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { ChatKey } from '@throughline/protocol/ids'
import type { Seat } from '../runs/chat-viewers.ts'
import type { ViewSignals } from '../stream/run-pages.ts'
import { sendStream } from '../stream/send-stream.ts'
import type { HttpContext, Services } from './context.ts'

/** The headers of every event stream. They keep proxies from buffering it. */
const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
}

interface StreamResponse {
  /** The viewer's seat. The viewer leaves it when the connection closes: see `seatOf`. */
  readonly seat: Seat
  readonly view: (signals: ViewSignals) => AsyncIterable<readonly Uint8Array[]>
  readonly headers?: Readonly<Record<string, string>>
  /** The bytes of a heartbeat; by default an SSE comment. */
  readonly heartbeat?: Uint8Array | undefined
}

/** Responds with a stream. It ends when the viewer leaves. The run that it shows goes on without the viewer. */
export function respondWithStream(
  context: HttpContext,
  services: Services,
  { seat, view, headers, heartbeat }: StreamResponse,
): Response {
  const { incoming, outgoing } = context.env
  const requestId = context.get('requestId')
  outgoing.writeHead(200, { ...streamHeaders, 'x-request-id': requestId, ...headers })
  if (incoming.method === 'HEAD') {
    outgoing.end()
    return RESPONSE_ALREADY_SENT
  }
  outgoing.flushHeaders()
  seat.take()
  const signal = closed(outgoing)
  const { heartbeatMs, maxStallMs, closing } = services
  sendStream(outgoing, view({ signal, closing }), { heartbeatMs, maxStallMs, heartbeat }).catch(error => {
    if (!signal.aborted && !closing.aborted)
      services.logger.error({ err: error, requestId }, 'a stream broke')
    // The connection is cut, not ended. So the client sees that something is missing, and comes back for it.
    outgoing.destroy()
  })
  return RESPONSE_ALREADY_SENT
}

/** Returns a seat in front of a chat for the sender of a request. The seat is left when the connection closes, taken or not. */
export function seatOf(context: HttpContext, { runner }: Services, chat: ChatKey): Seat {
  const seat = runner.viewers.seat(chat)
  const signal = closed(context.env.outgoing)
  if (signal.aborted) seat.leave()
  else signal.addEventListener('abort', () => seat.leave(), { once: true })
  return seat
}

/** Returns a signal that aborts when a response's connection closes. It may have closed before this call. */
export function closed(outgoing: ServerResponse): AbortSignal {
  const left = new AbortController()
  if (outgoing.destroyed) left.abort()
  else outgoing.once('close', () => left.abort())
  return left.signal
}
