import { createServer, type RequestListener } from 'node:http'
import { isIP } from 'node:net'
import { StartError } from '../refusals/start-error.ts'
import type { Metrics } from './metrics.ts'

/** Where metrics are served. */
export interface MetricsAddress {
  readonly host: string
  /** 0 for any free port. */
  readonly port: number
}

/** A listener that serves metrics. */
export interface MetricsListener {
  /** The address of the metrics, such as `http://127.0.0.1:9464/metrics`. */
  readonly url: string
  close(): Promise<void>
}

interface ListenerOptions extends MetricsAddress {
  /** The names that the Host header may have, without port, besides `localhost` and addresses. */
  readonly hosts: readonly string[]
}

/**
 * Serves metrics at a port of their own. So the port that people and proxies use does not have them, and no token is
 * needed. Requests to other host names are refused: a page of another site could reach this port under a name of its
 * own. Throws a `StartError` when it cannot listen there.
 */
export async function listenForMetrics(
  metrics: Pick<Metrics, 'contentType' | 'text'>,
  { host, port, hosts }: ListenerOptions,
): Promise<MetricsListener> {
  const server = createServer(
    responder(metrics, new Set([...hosts, host, 'localhost'].map(name => name.toLowerCase()))),
  )
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(port, host, resolve)
  await listening.catch(error => {
    throw cannotListen({ host, port }, error)
  })
  const address = server.address()
  const actualPort = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${actualPort}/metrics`,
    async close() {
      const { promise: closed, resolve: isClosed } = Promise.withResolvers<void>()
      server.close(() => isClosed())
      server.closeAllConnections()
      await closed
    },
  }
}

function responder(
  metrics: Pick<Metrics, 'contentType' | 'text'>,
  names: ReadonlySet<string>,
): RequestListener {
  return (request, response) => {
    if (!isKnown(request.headers.host ?? '', names)) {
      response
        .writeHead(421, { 'content-type': 'text/plain; charset=utf-8' })
        .end('This is not a name of the server. Add it to THROUGHLINE_HOSTS, or ask for an address.\n')
      return
    }
    const [path] = (request.url ?? '').split('?')
    if (path !== '/metrics' || request.method !== 'GET') {
      response
        .writeHead(404, { 'content-type': 'text/plain; charset=utf-8' })
        .end('There is only GET /metrics.\n')
      return
    }
    metrics.text().then(
      text => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  }
}

/** An address is nobody's name, so no other site can choose it. */
function isKnown(host: string, names: ReadonlySet<string>): boolean {
  const name = host.toLowerCase().replace(/:\d*$/, '')
  return names.has(name) || isIP(name.replace(/^\[(.*)\]$/, '$1')) > 0
}

function cannotListen({ host, port }: MetricsAddress, error: unknown): StartError {
  const reason = error instanceof Error ? error.message : String(error)
  return new StartError(
    'metrics',
    `THROUGHLINE_METRICS: metrics cannot be served at ${host}:${port} (${reason}). Choose another port or address, or leave it out.`,
  )
}
