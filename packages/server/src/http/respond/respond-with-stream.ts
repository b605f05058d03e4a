import type { ChatKey } from '@throughline/protocol'
import type { Pieces } from '../../stream/bytes/encoded-pages.ts'
import { sendStream, type TransportBytes } from '../../stream/bytes/send-stream.ts'
import type { Presence } from '../../stream/chat-viewers.ts'
import type { ViewSignals } from '../../stream/run-pages.ts'
import { dataHeaders } from '../request/browser-policies.ts'
import type { HttpContext, Services } from '../request/context.ts'

/** The headers of every event stream. They keep proxies from buffering it. */
const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  ...dataHeaders,
}

interface StreamResponse<End> {
  /** The viewer's presence in front of a chat. The viewer leaves it when the connection closes: see `presenceOf`. */
  readonly presence?: Presence | undefined
  readonly view: (signals: ViewSignals) => AsyncIterable<Pieces, End>
  /** Its viewer comes back by itself. So it need not go on while the server shuts down. */
  readonly comesBack?: true
  /** Called when the view has ended by itself, before the response is ended. Gets what the view has returned. */
  readonly onEnd?: ((end: End) => void) | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Default: 200. */
  readonly status?: 200 | 202
  /** By default those of server-sent events. */
  readonly transport?: TransportBytes | undefined
}

/** Responds with a stream. It ends when the viewer leaves. The run that it shows goes on without the viewer. */
export function respondWithStream<End>(
  context: HttpContext,
  services: Services,
  { presence, view, comesBack, headers, status, transport, onEnd }: StreamResponse<End>,
): Response {
  const requestId = context.get('requestId')
  const corsHeaders = context.get('corsHeaders')
  const allHeaders = { ...streamHeaders, 'x-request-id': requestId, ...corsHeaders, ...headers }
  if (context.req.method === 'HEAD') return new Response(null, { headers: allHeaders })
  const { closed: signal } = context.env
  const { sink, response } = context.env.openStream(allHeaders, status)
  presence?.take()
  const { heartbeats, maxStallMs } = services
  const closing = comesBack === true ? services.closing : services.over
  sendStream(sink, view({ signal, closing }), { heartbeats, maxStallMs, transport, onEnd }).catch(error => {
    if (!signal.aborted && !closing.aborted)
      services.logger.error({ err: error, requestId }, 'a stream broke')
    // The connection is cut, not ended. So the client sees that something is missing, and comes back for it.
    sink.cut()
  })
  return response
}

/** Returns a presence in front of a chat for the sender of a request. The presence is left when the connection closes, taken or not. */
export function presenceOf(context: HttpContext, { runner }: Services, chat: ChatKey): Presence {
  const presence = runner.viewers.presence(chat)
  const { closed } = context.env
  if (closed.aborted) presence.leave()
  else closed.addEventListener('abort', () => presence.leave(), { once: true })
  return presence
}
