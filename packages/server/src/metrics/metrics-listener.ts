import { createServer, type RequestListener } from 'node:http'
import { StartError } from '../start-error.ts'
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

/**
 * Serves metrics at a port of their own. So the port that people and proxies use does not have them, and no token is
 * needed. Throws a `StartError` when it cannot listen there.
 */
export async function listenForMetrics(
  metrics: Pick<Metrics, 'contentType' | 'text'>,
  { host, port }: MetricsAddress,
): Promise<MetricsListener> {
  const server = createServer(responder(metrics))
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

function responder(metrics: Pick<Metrics, 'contentType' | 'text'>): RequestListener {
  return (request, response) => {
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

function cannotListen({ host, port }: MetricsAddress, error: unknown): StartError {
  const reason = error instanceof Error ? error.message : String(error)
  return new StartError(
    'metrics',
    `THROUGHLINE_METRICS: metrics cannot be served at ${host}:${port} (${reason}). Choose another port or address, or leave it out.`,
  )
}
