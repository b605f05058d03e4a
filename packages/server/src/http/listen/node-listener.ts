import type { IncomingMessage, ServerResponse } from 'node:http'
import { Http2ServerRequest, Http2ServerResponse } from 'node:http2'
import { getRequestListener } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import type { Logger } from 'pino'
import { isBelow, remainingBase, wholeUrl } from '../guards/base-path.ts'
import type { Connection } from '../request/connection.ts'
import { problemResponse, routeNotFound } from '../request/problems.ts'
import { nodeConnection } from './node-connection.ts'
import { refuseRequest } from './refuse-connection.ts'

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
