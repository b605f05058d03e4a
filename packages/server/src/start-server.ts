import { giveMemoryBack } from '@throughline/store'
import { prepareThroughline } from './create-throughline.ts'
import { isLoopbackHost } from './http/guards/guard.ts'
import { createHttpServer } from './http/listen/node-server.ts'
import { areNone } from './http/sign-in/token-table.ts'
import { createMetrics } from './metrics/create-metrics.ts'
import { listenForMetrics, type MetricsAddress } from './metrics/metrics-listener.ts'
import { StartError } from './refusals/start-error.ts'
import type { ThroughlineOptions } from './throughline-options.ts'

/** The options of `startServer`. Only `store` and `agents` are needed. */
export interface ServerOptions extends ThroughlineOptions {
  /**
   * The address to listen on. Any other than a loopback address needs `tokens` or `authenticate`. Default: `127.0.0.1`.
   */
  readonly host?: string
  /** The port to listen on; 0 for any free port. Default: 4000. */
  readonly port?: number
  /** Where metrics for Prometheus are served, at `/metrics`: a port of their own. Default: nowhere. */
  readonly metricsAt?: MetricsAddress | undefined
}

/** A server that listens. */
export interface RunningServer extends AsyncDisposable {
  /** The address of the server, with the port that it listens on. */
  readonly url: string
  /** The address of the metrics, if they are served. */
  readonly metricsUrl: string | undefined
  /** See `Throughline.drain`. The server still listens. */
  drain(): Promise<void>
  /**
   * Drains, if that was not done before. Then stops listening, and ends every run and every stream. When other nodes share the
   * store, leaves the runs to them: see `Throughline.close`. Does not close the store. May be called again: then it does not
   * wait for the end of `drain`.
   */
  close(): Promise<void>
}

/**
 * Starts a server. First takes over the runs that an earlier process, or a dead node, left unfinished. Then listens.
 * Throws a `StartError` when the options cannot work, and the error of Node when it cannot listen.
 */
export async function startServer({
  host = '127.0.0.1',
  port = 4000,
  metricsAt,
  ...options
}: ServerOptions): Promise<RunningServer> {
  assertSafe(host, options)
  const hosts = [host, ...(options.hosts ?? [])]
  const metrics = options.metrics ?? (metricsAt && (await createMetrics()))
  // Closed again when the server cannot start.
  await using opened = new AsyncDisposableStack()
  const served = metrics && metricsAt && (await listenForMetrics(metrics, { ...metricsAt, hosts }))
  opened.defer(async () => served?.close())
  const { throughline, startChannels, endDrain } = await prepareThroughline({ ...options, metrics, hosts })
  // Otherwise other nodes would leave its runs to it, although it cannot be reached.
  opened.use(throughline)
  const server = createHttpServer(throughline.handle)
  const url = await server.listen({ host, port })
  await startChannels()
  const endGivingBack = giveMemoryBack()
  const rest = opened.move()

  async function end(): Promise<void> {
    await throughline.drain()
    endGivingBack()
    await server.stop()
    await throughline.close()
    await server.finish()
    // Until the end: the metrics also show how the server shuts down.
    await rest.disposeAsync()
  }
  let ended: Promise<void> | undefined
  function close(): Promise<void> {
    endDrain()
    ended ??= end()
    return ended
  }
  return {
    url,
    metricsUrl: served?.url,
    drain: () => throughline.drain(),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function assertSafe(host: string, { tokens, authenticate }: ThroughlineOptions): void {
  if (isLoopbackHost(host) || !areNone(tokens) || authenticate !== undefined) return
  throw new StartError(
    'host',
    `HOST: ${host} lets others in, and there are no tokens. Set THROUGHLINE_TOKENS=user:token,... or authenticate in the configuration, or leave HOST at 127.0.0.1.`,
  )
}
