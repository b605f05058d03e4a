import type { ChatKey } from '@throughline/protocol'
import type { Seat } from '../runs/chat-viewers.ts'
import type { Pieces } from '../stream/pieces.ts'
import type { ViewSignals } from '../stream/run-pages.ts'
import { sendStream } from '../stream/send-stream.ts'
import type { TransportBytes } from '../stream/transport-bytes.ts'
import { dataHeaders } from './browser-policies.ts'
import type { HttpContext, Services } from './context.ts'

/** The headers of every event stream. They keep proxies from buffering it. */
const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  ...dataHeaders,
}

interface StreamResponse<End> {
  /** The viewer's seat in front of a chat. The viewer leaves it when the connection closes: see `seatOf`. */
  readonly seat?: Seat | undefined
  readonly view: (signals: ViewSignals) => AsyncIterable<Pieces, End>
  /** Called when the view has ended by itself, before the response is ended. Gets what the view has returned. */
  readonly onEnd?: ((end: End) => void) | undefined
  readonly headers?: Readonly<Record<string, string>>
  /** By default those of server-sent events. */
  readonly transport?: TransportBytes | undefined
}

/** Responds with a stream. It ends when the viewer leaves. The run that it shows goes on without the viewer. */
export function respondWithStream<End>(
  context: HttpContext,
  services: Services,
  { seat, view, headers, transport, onEnd }: StreamResponse<End>,
): Response {
  const requestId = context.get('requestId')
  const corsHeaders = context.get('corsHeaders')
  const allHeaders = { ...streamHeaders, 'x-request-id': requestId, ...corsHeaders, ...headers }
  if (context.req.method === 'HEAD') return new Response(null, { headers: allHeaders })
  const { closed: signal } = context.env
  const { sink, response } = context.env.openStream(allHeaders)
  seat?.take()
  const { heartbeats, maxStallMs, closing } = services
  sendStream(sink, view({ signal, closing }), { heartbeats, maxStallMs, transport, onEnd }).catch(error => {
    if (!signal.aborted && !closing.aborted)
      services.logger.error({ err: error, requestId }, 'a stream broke')
    // The connection is cut, not ended. So the client sees that something is missing, and comes back for it.
    sink.cut()
  })
  return response
}

/** Returns a seat in front of a chat for the sender of a request. The seat is left when the connection closes, taken or not. */
export function seatOf(context: HttpContext, { runner }: Services, chat: ChatKey): Seat {
  const seat = runner.viewers.seat(chat)
  const { closed } = context.env
  if (closed.aborted) seat.leave()
  else closed.addEventListener('abort', () => seat.leave(), { once: true })
  return seat
}
