import { createServer, type Server, type ServerResponse } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import type { Agent } from '@throughline/agents/agent'
import type { BatchOptions } from '@throughline/log/batch-deltas'
import type { OwnerId } from '@throughline/protocol/ids'
import type { Store } from '@throughline/store/open-store'
import type { Logger } from 'pino'
import { ChannelHost } from './channels/channel-host.ts'
import type { InstalledChannel } from './channels/installed-channel.ts'
import { OperatorDesk } from './channels/operator-desk.ts'
import { createApp } from './http/app.ts'
import { isLoopback } from './http/origin.ts'
import { refuseBrokenConnections, refuseRequest } from './http/refuse-connection.ts'
import { staticPages } from './http/static-pages.ts'
import { type AgentSystem, agentSystem, withDefinitions } from './runs/agent-system.ts'
import { ApprovalWaits } from './runs/approval-waits.ts'
import { checkAgents } from './runs/check-agents.ts'
import { Runner } from './runs/runner.ts'
import { withErrorFacts } from './server-log.ts'
import { StartError } from './start-error.ts'

export interface ServerOptions {
  readonly store: Store
  /** The first one answers when a request names none. */
  readonly agents: readonly Agent[]
  /** Tools, sub-agents, limits and prices; without it agents have what they bring themselves. */
  readonly system?: AgentSystem
  /** Where else people talk with the agents, by name. */
  readonly channels?: ReadonlyMap<string, InstalledChannel> | undefined
  readonly logger: Logger
  readonly host?: string
  readonly port?: number
  /** More names under which the server may be addressed. */
  readonly hosts?: readonly string[]
  readonly tokens?: ReadonlyMap<string, OwnerId>
  /** The folder of the built page; without it there is no page. */
  readonly pageFolder?: string | undefined
  /** How text is joined on its way into the log: when 50 ms have passed or 10 characters wait. */
  readonly batching?: Pick<BatchOptions, 'maxDelayMs' | 'maxChars'> | undefined
  /** How often an idle stream says that it is alive: 15,000. At most 25,000: clients give up after 30 s of silence. */
  readonly heartbeatMs?: number | undefined
  readonly maxStallMs?: number
  readonly now?: () => Date
}

export interface RunningServer extends AsyncDisposable {
  readonly url: string
  /** Ends every run and every stream in good order, then stops listening. The store stays open: it is the caller's. */
  close(): Promise<void>
}

/** Ends what an earlier process left unfinished, then listens. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  // Whoever made the logger: what errors of providers carry does not get into it.
  const logger = withErrorFacts(options.logger)
  const {
    store,
    host = '127.0.0.1',
    port = 4000,
    tokens = new Map(),
    now = () => new Date(),
    heartbeatMs = 15_000,
    maxStallMs = 30_000,
  } = options
  assertSafe(host, tokens)
  assertHeartbeat(heartbeatMs)
  const agents = new Map(options.agents.map(agent => [agent.name, agent]))
  const system = withDefinitions(options.system ?? agentSystem(), store.definitions)
  const approvals = new ApprovalWaits(store, now)
  const operators = new OperatorDesk()
  const taken = new Map([[operators.agent.name, 'the name of the people who answer in place of agents']])
  for (const warning of checkAgents({ agents: options.agents, system, taken })) logger.warn(warning)
  const runner: Runner = new Runner({
    store,
    agents: new Map([...agents, [operators.agent.name, operators.agent]]),
    person: target => operators.person(target),
    system,
    approvals,
    logger,
    now,
    batching: options.batching,
    onBegin: run => channels.onRun(run),
  })
  const installed = options.channels ?? new Map()
  const channels = new ChannelHost({
    store,
    runner,
    approvals,
    agents,
    operators,
    channels: installed,
    logger,
    now,
  })
  await runner.recover()

  const closing = new AbortController()
  const services = {
    store,
    runner,
    approvals,
    channels,
    system,
    agents,
    logger,
    now,
    heartbeatMs,
    maxStallMs,
    closing: closing.signal,
  }
  const pages = options.pageFolder === undefined ? [] : await staticPages(options.pageFolder)
  const hosts = [...loopbackHosts, host, ...(options.hosts ?? [])].map(name => name.toLowerCase())
  const app = createApp(services, { hosts, tokens }, pages)
  // A request without a host is refused below, with a problem, and not by Node, with nothing.
  const server = createServer(
    { requireHostHeader: false },
    getRequestListener(app.fetch, { errorHandler: refuseRequest(logger) }),
  )
  refuseBrokenConnections(server)
  const answered = trackAnswers(server)
  const url = await listen(server, { host, port })
  await channels.start()

  async function close(): Promise<void> {
    const stopped = new Promise<void>(resolve => server.close(() => resolve()))
    // Runs first: after this, the log has the end of every run.
    await runner.close()
    await channels.close()
    // Every stream shows what the log has, and then ends. A viewer that does not read must not hold this up.
    closing.abort()
    const grace = setTimeout(() => server.closeAllConnections(), 2_000)
    await answered()
    // What is left is kept alive for requests that may never come.
    server.closeAllConnections()
    await stopped
    clearTimeout(grace)
  }
  return { url, close, [Symbol.asyncDispose]: close }
}

/** Answers a function that waits until every request that has come so far is answered or gone. */
function trackAnswers(server: Server): () => Promise<unknown> {
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

const loopbackHosts = ['127.0.0.1', 'localhost', '[::1]']

function assertSafe(host: string, tokens: ReadonlyMap<string, OwnerId>): void {
  if (isLoopback(host) || tokens.size > 0) return
  throw new StartError(
    'host',
    `HOST: ${host} lets others in, and there are no tokens. Set THROUGHLINE_TOKENS=user:token,... or leave HOST at 127.0.0.1.`,
  )
}

function assertHeartbeat(heartbeatMs: number): void {
  if (heartbeatMs > 0 && heartbeatMs <= 25_000) return
  throw new StartError(
    'stream',
    `heartbeatMs is ${heartbeatMs}, and must be from 1 to 25000: clients take a stream that is silent for 30 s for dead.`,
  )
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
