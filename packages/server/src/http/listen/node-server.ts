import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import type { Duplex } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { getRequestListener, RequestError } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { isRecord, ProblemError } from '@throughline/protocol'
import type { Logger } from 'pino'
import { responseSink } from '../../stream/bytes/response-sink.ts'
import { closedSink } from '../../stream/bytes/stream-sink.ts'
import { isBelow, remainingBase, wholeUrl } from '../guards/base-path.ts'
import { isLoopbackHost } from '../guards/guard.ts'
import type { Connection } from '../request/connection.ts'
import { problemResponse, routeNotFound } from '../request/problems.ts'

/** Responds to one request. Does not reject. */
export type Respond = (request: Request, connection: Connection) => Promise<Response>

/**
 * Handles one request of Node's HTTP server. A request that is not below the base path goes to `next`. If there is no
 * `next`, it gets a 404.
 */
export type NodeHandler = (incoming: IncomingMessage, outgoing: ServerResponse, next?: () => void) => void

interface ListenerOptions {
  readonly basePath: string
  readonly logger: Logger
}

/** Returns a handler for Node's HTTP server, and for frameworks that stand on it. */
export function nodeListener(respond: Respond, { basePath, logger }: ListenerOptions): NodeHandler {
  const listen = getRequestListener(
    async (request, { incoming, outgoing }) => {
      if (incoming instanceof Http2ServerRequest || outgoing instanceof Http2ServerResponse)
        throw new TypeError('"handle" takes requests of HTTP/1.1. Behind a server for HTTP/2, use "fetch".')
      const base = remainingBase(basePath, incoming)
      const connection = nodeConnection({ incoming, outgoing, basePath: base })
      const response = await respond(request, connection)
      return writeResponse(outgoing, response)
    },
    // The classes of the process stay as they are: they belong to the application.
    { errorHandler: refuseRequest(logger), overrideGlobalObjects: false },
  )
  return (incoming, outgoing, next) => {
    const url = wholeUrl(incoming)
    if (isBelow(basePath, url)) void listen(incoming, outgoing)
    else if (next !== undefined) next()
    else void writeResponse(outgoing, problemResponse(routeNotFound(incoming.method ?? '', url)))
  }
}

/** Writes a response in one piece. Streams are not written here: see `nodeConnection`. */
async function writeResponse(outgoing: ServerResponse, response: Response): Promise<Response> {
  if (outgoing.headersSent) return RESPONSE_ALREADY_SENT
  const headers = Object.fromEntries(response.headers)
  if (response.body === null) outgoing.writeHead(response.status, headers).end()
  else {
    const body = Buffer.from(await response.arrayBuffer())
    outgoing.writeHead(response.status, { ...headers, 'content-length': body.length }).end(body)
  }
  return RESPONSE_ALREADY_SENT
}

interface NodeConnectionOptions {
  readonly incoming: IncomingMessage
  readonly outgoing: ServerResponse
  readonly basePath: string
}

/** Returns a connection of Node's HTTP server. Streams are written to Node's response directly. */
function nodeConnection({ incoming, outgoing, basePath }: NodeConnectionOptions): Connection {
  const left = new AbortController()
  if (outgoing.destroyed) left.abort()
  else outgoing.once('close', () => left.abort())
  return {
    basePath,
    isRemote: isRemote(incoming),
    address: incoming.socket.remoteAddress,
    closed: left.signal,
    body: () => bodyOf(incoming),
    receivedBytes: () => incoming.socket.bytesRead,
    openStream(headers, status = 200) {
      if (outgoing.headersSent) return { sink: closedSink, response: RESPONSE_ALREADY_SENT }
      // The head promises whether the connection is kept, and the process may go down before the stream ends. If it closed
      // a connection that it has promised to keep, a proxy might be sending the next request on it, and show a 502.
      outgoing.writeHead(status, { ...headers, connection: 'close' })
      outgoing.flushHeaders()
      return { sink: responseSink(outgoing), response: RESPONSE_ALREADY_SENT }
    },
    onSent: callback => void outgoing.once('finish', callback),
    letGo() {
      if (!outgoing.headersSent) outgoing.setHeader('connection', 'close')
    },
    cut: () => void outgoing.destroy(),
  }
}

/** A connection without an address is a Unix socket, or one that a test has made up. */
function isRemote({ socket }: IncomingMessage): boolean {
  const { remoteAddress } = socket
  // Servers for IPv6 and IPv4 see IPv4 addresses in this form.
  return remoteAddress !== undefined && !isLoopbackHost(remoteAddress.replace(/^::ffff:/, ''))
}

/**
 * Returns the bytes of a body. If a body parser of the application has read them already, such as `express.json()`,
 * what it parsed is encoded again.
 */
async function* bodyOf(incoming: IncomingMessage): AsyncGenerator<Uint8Array> {
  const parsed = incoming.readableEnded && 'body' in incoming ? incoming.body : undefined
  if (parsed instanceof Uint8Array) yield parsed
  else if (typeof parsed === 'string') yield Buffer.from(parsed)
  else if (isRecord(parsed)) yield Buffer.from(JSON.stringify(parsed))
  // A client that is still sending must see the response. So its connection is not closed when reading ends early.
  else yield* incoming.iterator({ destroyOnReturn: false })
}

/** A server of Node that listens on one address. */
interface HttpServer {
  /** Starts to listen. Port 0 stands for any free port. Resolves with the address, such as `http://127.0.0.1:4000`. */
  listen(address: { readonly host: string; readonly port: number }): Promise<string>
  /**
   * From now on the server takes no new connections. Connections without a request are closed. A proxy that sends a request
   * on one of them at this moment gets a reset, so the server has to drain before: see `goDown`.
   */
  stop(): Promise<void>
  /** Closes all connections: some are only kept open for requests that may never come. Resolves when all are closed. */
  finish(): Promise<void>
}

/**
 * How long a connection without a request is kept open, in milliseconds. Proxies use their connections again: nginx for 60
 * seconds, Caddy for 120. If the server closed one first, as Node does after 5 seconds, a message that is sent at this
 * moment would be lost: the proxy does not know whether the server has seen it, and responds with 502.
 */
const keepAliveMs = 150_000

/** Node's HTTP server with a handler for its requests. */
export function createHttpServer(handle: NodeHandler): HttpServer {
  // Node would refuse a request without a Host header with an empty response. The guard refuses it with a problem.
  const server = createServer(
    { requireHostHeader: false, keepAliveTimeout: keepAliveMs },
    (incoming, outgoing) => handle(incoming, outgoing),
  )
  refuseBrokenConnections(server)
  const stopped = Promise.withResolvers<void>()
  return {
    listen: address => listen(server, address),
    async stop() {
      // Right after the event loop has taken all new connections: those that still wait for that are reset.
      await setImmediate()
      server.close(() => stopped.resolve())
    },
    async finish() {
      server.closeAllConnections()
      await stopped.promise
    },
  }
}

async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
  const address = server.address()
  const actualPort = typeof address === 'object' && address !== null ? address.port : port
  return `http://${host.includes(':') ? `[${host}]` : host}:${actualPort}`
}

/**
 * Responds with a problem to what never becomes a request (broken HTTP, CONNECT, upgrades), and closes the
 * connection.
 */
function refuseBrokenConnections(server: Server): void {
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuse(socket, clientProblem(error.code)),
  )
  server.on('connect', (_, socket) => {
    refuse(socket, new ProblemError(405, 'no-proxy', 'This server is no proxy. Send ordinary HTTP requests.'))
  })
  server.on('upgrade', (_, socket) => {
    refuse(
      socket,
      new ProblemError(
        400,
        'no-upgrade',
        'This server speaks HTTP/1.1 only. Streams are server-sent events.',
      ),
    )
  })
  server.on('checkExpectation', (_, response) => {
    const problem = new ProblemError(
      417,
      'unknown-expectation',
      'The Expect header asks for what this server does not do.',
    )
    const body = JSON.stringify(problem.toProblem())
    const headers = { 'content-type': 'application/problem+json', 'content-length': Buffer.byteLength(body) }
    response.writeHead(417, headers).end(body)
  })
}

/** Returns a function that responds to requests whose URL cannot be read. */
function refuseRequest(logger: Logger): (error: unknown) => Response {
  return error => {
    if (error instanceof RequestError) {
      return problemResponse(
        new ProblemError(400, 'invalid-request', 'The Host header or the path of the request is not valid.'),
      )
    }
    logger.error({ err: error }, 'request failed')
    return problemResponse(new ProblemError(500, 'internal', 'The server failed to respond.'))
  }
}

function clientProblem(code: string | undefined): ProblemError {
  if (code === 'HPE_HEADER_OVERFLOW') {
    return new ProblemError(
      431,
      'headers-too-large',
      'The request headers are too large. Send fewer or shorter ones.',
    )
  }
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new ProblemError(408, 'request-timeout', 'The request took too long to arrive. Send it again.')
  }
  return new ProblemError(400, 'invalid-http', 'This is not a valid HTTP/1.1 request.')
}

function refuse(socket: Duplex, error: ProblemError): void {
  socket.on('error', () => socket.destroy())
  if (!socket.writable) return void socket.destroy()
  const problem = error.toProblem()
  const body = JSON.stringify(problem)
  socket.end(
    `HTTP/1.1 ${problem.status} ${problem.title}\r\ncontent-type: application/problem+json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}
