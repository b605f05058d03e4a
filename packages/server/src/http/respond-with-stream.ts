import type { ServerResponse } from 'node:http'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { ChatKey } from '@throughline/protocol/ids'
import type { Seat } from '../runs/chat-viewers.ts'
import type { ViewSignals } from '../stream/run-pages.ts'
import { sendStream } from '../stream/send-stream.ts'
import type { HttpContext, Services } from './context.ts'

/** What every event stream answers with; proxies must not hold it back. */
const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
}

/** Tells a stock client that this stream speaks its chunks. */
export const chunkStreamHeaders = { 'x-vercel-ai-ui-message-stream': 'v1' }

export interface StreamAnswer {
  /** The viewer's, which it leaves when its connection closes: see `seatOf`. */
  readonly seat: Seat
  readonly view: (signals: ViewSignals) => AsyncIterable<readonly Uint8Array[]>
  readonly headers?: Readonly<Record<string, string>>
  /** For forms in which a comment would be no comment. */
  readonly heartbeat?: Uint8Array
}

/** Answers with a stream. The stream ends when the viewer leaves; what it shows goes on without it. */
export function respondWithStream(
  context: HttpContext,
  services: Services,
  { seat, view, headers, heartbeat }: StreamAnswer,
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
    // Cut off rather than ended: the client sees that something is missing and comes back for it.
    outgoing.destroy()
  })
  return RESPONSE_ALREADY_SENT
}

/** A seat in front of a chat for the sender of a request. It is left when the connection closes, taken or not. */
export function seatOf(context: HttpContext, { runner }: Services, chat: ChatKey): Seat {
  const seat = runner.viewers.seat(chat)
  const signal = closed(context.env.outgoing)
  if (signal.aborted) seat.leave()
  else signal.addEventListener('abort', () => seat.leave(), { once: true })
  return seat
}

/** Aborts when a response's connection closes. A client may have left while its message waited for the chat. */
export function closed(outgoing: ServerResponse): AbortSignal {
  const left = new AbortController()
  if (outgoing.destroyed) left.abort()
  else outgoing.once('close', () => left.abort())
  return left.signal
}
