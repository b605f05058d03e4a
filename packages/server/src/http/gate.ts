import { ProblemError } from '@throughline/protocol'
import type { Hono } from 'hono'
import type { Logger } from 'pino'
import { shuttingDown } from '../runs/run-refusals.ts'
import { isBelow } from './base-path.ts'
import type { Connection } from './connection.ts'
import type { HttpEnv } from './context.ts'
import { type NodeHandler, nodeListener } from './node-listener.ts'
import { OpenResponses } from './open-responses.ts'
import { problemResponse, routeNotFound } from './problems.ts'
import { webConnection } from './web-connection.ts'

/** What the gate needs to know. */
export interface GateOptions {
  readonly basePath: string
  readonly logger: Logger
  /** There are no tokens and no `authenticate`, so everybody is the same owner. Then other machines are refused. */
  readonly isForAll: boolean
}

/** The two ways in which requests reach the app. */
export interface Gate {
  readonly fetch: (request: Request) => Promise<Response>
  readonly handle: NodeHandler
  /** Waits for the responses that are under way, for two seconds at most. Refuses requests from then on. */
  close(): Promise<void>
}

/** Makes the two ways to the app: for web-standard requests, and for requests of Node's HTTP server. */
export function createGate(app: Hono<HttpEnv>, { basePath, logger, isForAll }: GateOptions): Gate {
  const responses = new OpenResponses()
  let isClosed = false

  async function respond(request: Request, connection: Connection): Promise<Response> {
    if (isClosed) return problemResponse(shuttingDown())
    if (isForAll && connection.isRemote) return problemResponse(remoteRefused())
    responses.add(connection)
    return app.fetch(request, connection)
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
    async close() {
      await responses.finish()
      isClosed = true
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
