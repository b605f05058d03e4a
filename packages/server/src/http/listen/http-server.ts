import { createServer, type Server } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { NodeHandler } from './node-listener.ts'
import { refuseBrokenConnections } from './refuse-connection.ts'

/** A server of Node that listens on one address. */
export interface HttpServer {
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
