import { createServer, type Server, type ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Hono } from 'hono'
import type { Logger } from 'pino'
import type { HttpEnv } from './context.ts'
import { refuseBrokenConnections, refuseRequest } from './refuse-connection.ts'

export interface HttpServer {
  /** Starts to listen. Port 0 stands for any free port. Resolves with the address, such as `http://127.0.0.1:4000`. */
  listen(address: { readonly host: string; readonly port: number }): Promise<string>
  /** From now on the server takes no new connections. */
  stop(): void
  /**
   * Waits for the responses that are under way, for two seconds at most, and closes all connections. Some connections
   * are only kept open for requests that may never come, and some clients do not read. Resolves when all are closed.
   */
  finish(): Promise<void>
}

/** Node's HTTP server with the app's routes. */
export function createHttpServer(app: Hono<HttpEnv>, logger: Logger): HttpServer {
  // Node would refuse a request without a Host header with an empty response. The guard refuses it with a problem.
  const server = createServer(
    { requireHostHeader: false },
    getRequestListener(app.fetch, { errorHandler: refuseRequest(logger) }),
  )
  refuseBrokenConnections(server)
  const responses = trackResponses(server)
  const stopped = Promise.withResolvers<void>()
  return {
    listen: address => listen(server, address),
    stop: () => void server.close(() => stopped.resolve()),
    async finish() {
      const grace = setTimeout(() => server.closeAllConnections(), 2_000)
      await responses()
      server.closeAllConnections()
      await stopped.promise
      clearTimeout(grace)
    },
  }
}

/** Returns a function that waits until each request so far has its response, or its connection is closed. */
function trackResponses(server: Server): () => Promise<unknown> {
  const open = new Map<ServerResponse, Promise<void>>()
  server.on('request', (_, response: ServerResponse) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    open.set(response, promise)
    response.once('close', () => {
      open.delete(response)
      resolve()
    })
  })
  return () => Promise.all(open.values())
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
