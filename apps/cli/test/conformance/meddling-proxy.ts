import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import { createSecureServer } from 'node:http2'
import { createServer as createTlsServer } from 'node:https'
import { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { constants, createGzip } from 'node:zlib'

// Test only: a reverse proxy that does what broken proxies do.

/** What the proxy does wrong. By default nothing. */
export interface Meddling {
  /** Changes the headers of a request. */
  readonly requestHeaders?: (headers: IncomingHttpHeaders) => IncomingHttpHeaders
  /** Changes the headers of an event stream. */
  readonly streamHeaders?: (headers: IncomingHttpHeaders) => IncomingHttpHeaders
  /** Returns what is sent in place of one SSE event, with the blank line at its end. */
  readonly event?: (event: string, path: string) => string
  /** Whether it sends the body of a response, or also its headers, only when it has all of it. */
  readonly buffers?: 'body' | 'headers and body'
  /** Whether it compresses event streams. */
  readonly compresses?: boolean
  /** Changes the path of a request. */
  readonly path?: (path: string) => string
  /** Whether it cuts streams that have been silent for a second. */
  readonly cutsIdle?: boolean
  /** Whether it changes the status of a response. */
  readonly status?: (status: number, request: IncomingMessage) => number
  /** Serves HTTPS, with HTTP/2 or without. */
  readonly tls?: { readonly key: string; readonly cert: string; readonly hasHttp2: boolean }
}

export interface MeddlingProxy extends AsyncDisposable {
  readonly url: string
}

/** Starts a proxy before a server, on a free port. */
export async function startMeddlingProxy(target: string, meddling: Meddling): Promise<MeddlingProxy> {
  const server = serverFor(meddling.tls, (incoming, outgoing) => {
    const { requestHeaders = headers => headers, path = same => same } = meddling
    const upstream = request(new URL(path(incoming.url ?? ''), target), {
      method: incoming.method,
      headers: requestHeaders(incoming.headers),
      agent: false,
    })
    upstream.on('response', response => passOn(response, outgoing, { ...meddling, incoming }))
    upstream.on('error', () => outgoing.destroy())
    outgoing.on('close', () => upstream.destroy())
    incoming.pipe(upstream)
  })
  const sockets = new Set<Disposable>()
  server.on('connection', socket => sockets.add({ [Symbol.dispose]: () => socket.destroy() }))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('The proxy has no port.')
  const origin = meddling.tls === undefined ? 'http://127.0.0.1' : 'https://localhost'
  return {
    url: `${origin}:${address.port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket[Symbol.dispose]()
      server.close()
      await once(server, 'close')
    },
  }
}

function serverFor(
  tls: Meddling['tls'],
  listener: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
) {
  if (tls === undefined) return createServer(listener)
  if (!tls.hasHttp2) return createTlsServer(tls, listener)
  // The requests of these tests are all HTTP/1.1. Only the handshake offers HTTP/2.
  const server = createSecureServer({ ...tls, allowHTTP1: true })
  server.on('request', listener)
  return server
}

async function passOn(
  response: IncomingMessage,
  outgoing: ServerResponse,
  {
    streamHeaders = same => same,
    event = same => same,
    status = same => same,
    buffers,
    cutsIdle = false,
    compresses = false,
    incoming,
  }: Meddling & { readonly incoming: IncomingMessage },
): Promise<void> {
  const isStream = response.headers['content-type']?.startsWith('text/event-stream') === true
  const headers = isStream ? streamHeaders(response.headers) : response.headers
  const code = status(response.statusCode ?? 502, incoming)
  async function* changed(): AsyncGenerator<string> {
    if (!isStream) yield* response.setEncoding('utf8')
    else for await (const each of eventsIn(response)) yield event(each, incoming.url ?? '')
  }
  const body = isStream && compresses ? createGzip({ flush: constants.Z_SYNC_FLUSH }) : new PassThrough()
  const idle = isStream && cutsIdle ? setTimeout(() => outgoing.destroy(), 1_000) : undefined
  body.on('data', () => idle?.refresh())
  try {
    if (buffers !== 'headers and body') outgoing.writeHead(code, headers).flushHeaders()
    const source = buffers === undefined ? changed() : [(await Array.fromAsync(changed())).join('')]
    if (buffers === 'headers and body') outgoing.writeHead(code, headers)
    await pipeline(source, body, outgoing)
  } catch {
    // One of the two sides has left.
    outgoing.destroy()
  } finally {
    clearTimeout(idle)
  }
}

async function* eventsIn(response: IncomingMessage): AsyncGenerator<string> {
  let rest = ''
  for await (const text of response.setEncoding('utf8')) {
    const events = `${rest}${text}`.split(/(?<=\n\n)/)
    rest = events.at(-1)?.endsWith('\n\n') === true ? '' : (events.pop() ?? '')
    yield* events
  }
}
