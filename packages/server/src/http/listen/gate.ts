import { setTimeout as pause } from 'node:timers/promises'
import { ProblemError } from '@throughline/protocol'
import { type Patience, withPatience } from '@throughline/store'
import type { Hono } from 'hono'
import type { Logger } from 'pino'
import { shuttingDown } from '../../refusals/run-refusals.ts'
import type { StreamSink } from '../../stream/bytes/stream-sink.ts'
import { webSink } from '../../stream/bytes/web-sink.ts'
import { isBelow } from '../guards/base-path.ts'
import type { Connection } from '../request/connection.ts'
import type { HttpEnv } from '../request/context.ts'
import { problemResponse, routeNotFound } from '../request/problems.ts'
import { type NodeHandler, nodeListener } from './node-server.ts'

/** What the gate needs to know. */
export interface HttpGateOptions {
  readonly basePath: string
  readonly logger: Logger
  /** There are no tokens and no `authenticate`, so everybody is the same owner. Then other machines are refused. */
  readonly isForAll: boolean
  /** See `Store.maxWaitMs`. */
  readonly maxWaitMs: number
}

/**
 * A person who gets no response for 15 seconds takes the server for dead. So what a request needs from the database is
 * tried again for `maxWaitMs` milliseconds, and given up a little later.
 */
const maxWaitMs = 10_000
const maxResponseMs = 13_000

/** The two ways in which requests reach the app. */
export interface Gate {
  readonly fetch: (request: Request) => Promise<Response>
  readonly handle: NodeHandler
  /** From now on, no connection is kept open for another request. Requests are still served. */
  letGo(): void
  /** Waits for the responses that are under way, for at most this many milliseconds. Requests are still served. */
  settle(maxMs: number): Promise<void>
  /** Waits for the responses that are under way, for two seconds at most. Refuses requests from then on. */
  close(): Promise<void>
}

/** Makes the two ways to the app: for web-standard requests, and for requests of Node's HTTP server. */
export function createGate(app: Hono<HttpEnv>, options: HttpGateOptions): Gate {
  const { basePath, logger, isForAll } = options
  const responses = new OpenResponses()
  let isClosed = false

  async function respond(request: Request, connection: Connection): Promise<Response> {
    responses.add(connection)
    if (isClosed) return problemResponse(shuttingDown())
    if (isForAll && connection.isRemote) return problemResponse(remoteRefused())
    using limits = startLimits()
    return await withPatience({ maxWaitMs: options.maxWaitMs, ...limits }, async () =>
      app.fetch(request, connection),
    )
  }

  return {
    async fetch(given) {
      const { pathname } = new URL(given.url)
      if (!isBelow(basePath, pathname)) return problemResponse(routeNotFound(given.method, pathname))
      const request = given.headers.has('host') ? given : withHost(given)
      const connection = webConnection(request, basePath)
      try {
        return await respond(request, connection)
      } finally {
        connection.responded()
      }
    },
    handle: nodeListener(respond, { basePath, logger }),
    letGo: () => responses.letGo(),
    settle: maxMs => responses.settle(maxMs),
    async close() {
      await responses.finish()
      isClosed = true
    },
  }
}

/** Starts to count how long the database may fail a request. Disposing ends that. */
function startLimits(): Pick<Patience, 'signal' | 'deadline'> & Disposable {
  const [waited, late] = [new AbortController(), new AbortController()]
  const timers = [setTimeout(() => waited.abort(), maxWaitMs), setTimeout(() => late.abort(), maxResponseMs)]
  return {
    signal: waited.signal,
    deadline: late.signal,
    [Symbol.dispose]() {
      for (const timer of timers) clearTimeout(timer)
    },
  }
}

/** Returns the request with the Host that its URL names. A request that never was on a wire may have none. */
function withHost(request: Request): Request {
  const headers = new Headers(request.headers)
  headers.set('host', new URL(request.url).host)
  return new Request(request, { headers })
}

function remoteRefused(): ProblemError {
  return new ProblemError(
    401,
    'token-required',
    'Without tokens, everybody is the same owner. So only connections from this machine are served. Give Throughline "tokens" or "authenticate".',
  )
}

const graceMs = 2_000

/** The responses that are under way. */
class OpenResponses {
  readonly #open = new Set<Connection>()
  #isLettingGo = false

  add(connection: Connection): void {
    if (connection.closed.aborted) return
    if (this.#isLettingGo) connection.letGo()
    this.#open.add(connection)
    connection.closed.addEventListener('abort', () => this.#open.delete(connection), { once: true })
  }

  /** From now on, no connection is kept for another request. */
  letGo(): void {
    this.#isLettingGo = true
    for (const connection of this.#open) connection.letGo()
  }

  /** Waits until none is under way, for at most this many milliseconds. More may come meanwhile. */
  async settle(maxMs: number): Promise<void> {
    const late = new AbortController()
    const isLate = pause(maxMs, undefined, { signal: late.signal }).catch(() => undefined)
    void isLate.then(() => late.abort())
    while (this.#open.size > 0 && !late.signal.aborted)
      await Promise.race([isLate, ...[...this.#open].map(untilClosed)])
    late.abort()
  }

  /** Waits until all of them are complete. Cuts those that take longer than two seconds: some clients do not read. */
  async finish(): Promise<void> {
    const open = [...this.#open]
    const grace = setTimeout(() => {
      for (const connection of open) connection.cut()
    }, graceMs)
    await Promise.all(open.map(untilClosed))
    clearTimeout(grace)
  }
}

function untilClosed({ closed }: Connection): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (closed.aborted) resolve()
  else closed.addEventListener('abort', () => resolve(), { once: true })
  return promise
}

/** The connection of a web-standard request. */
interface WebConnection extends Connection {
  /** Must be called when the response is made. A response that is no stream is complete then. */
  responded(): void
}

/** Returns a connection for a web-standard request. Its streams are the bodies of web-standard responses. */
export function webConnection(request: Request, basePath: string): WebConnection {
  const left = new AbortController()
  const sent: (() => void)[] = []
  let stream: StreamSink | undefined
  const close = () => left.abort()
  const finish = () => {
    if (!left.signal.aborted) for (const callback of sent) callback()
  }
  const cut = () => {
    stream?.cut()
    close()
  }
  const leave = () => {
    close()
    // Most frameworks cancel the body now, and report an error of a body as a fault. The others get the error.
    setImmediate(cut)
  }
  if (request.signal.aborted) close()
  else request.signal.addEventListener('abort', leave, { once: true })
  return {
    basePath,
    // A web-standard request does not say where it comes from.
    isRemote: false,
    address: undefined,
    closed: left.signal,
    body: () => bodyOf(request),
    receivedBytes: () => 0,
    openStream(headers, status = 200) {
      const { sink, body } = webSink({ onClose: close, onFinish: finish })
      stream = sink
      return { sink, response: new Response(body, { status, headers }) }
    },
    onSent: callback => void sent.push(callback),
    // Connections belong to the host.
    letGo: () => undefined,
    cut,
    responded() {
      if (stream !== undefined) return
      finish()
      close()
    },
  }
}

async function* bodyOf({ body }: Request): AsyncGenerator<Uint8Array> {
  if (body !== null) yield* body
}
