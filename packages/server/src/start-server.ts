import type { Agent } from '@throughline/agents/agent'
import type { BatchOptions } from '@throughline/log/batch-deltas'
import type { OwnerId } from '@throughline/protocol/ids'
import type { Store } from '@throughline/store/open-store'
import type { Logger } from 'pino'
import { ChannelHost } from './channels/channel-host.ts'
import type { InstalledChannel } from './channels/installed-channel.ts'
import { OperatorDesk } from './channels/operator-desk.ts'
import { createApp } from './http/app.ts'
import type { Services } from './http/context.ts'
import { createHttpServer } from './http/http-server.ts'
import { isLoopback } from './http/origin.ts'
import { staticPages } from './http/static-pages.ts'
import { type AgentSystem, agentSystem, withDefinitions } from './runs/agent-system.ts'
import { ApprovalWaits } from './runs/approval-waits.ts'
import { checkAgents } from './runs/check-agents.ts'
import { Runner } from './runs/runner.ts'
import { withErrorFacts } from './server-log.ts'
import { StartError } from './start-error.ts'

export interface ServerOptions {
  readonly store: Store
  /** The first one answers when a request names no agent. */
  readonly agents: readonly Agent[]
  /** Tools, sub-agents, limits and prices. By default agents have only what they bring themselves. */
  readonly system?: AgentSystem
  /** The channels in which people talk with the agents, by name. */
  readonly channels?: ReadonlyMap<string, InstalledChannel> | undefined
  readonly logger: Logger
  /** By default 127.0.0.1. */
  readonly host?: string
  /** By default 4000. Port 0 stands for any free port. */
  readonly port?: number
  /** More names that the Host header of a request may have. */
  readonly hosts?: readonly string[]
  /** The owner of each token. Required when the server listens to other machines. */
  readonly tokens?: ReadonlyMap<string, OwnerId>
  /** The folder of the built page. Without it the server has no page. */
  readonly pageFolder?: string | undefined
  /** How deltas are joined before they are written to the log: for 50 ms, or until there are 10 characters. */
  readonly batching?: Pick<BatchOptions, 'maxDelayMs' | 'maxChars'> | undefined
  /**
   * The time between the heartbeats of an idle stream, in milliseconds: 15,000. At most 25,000, because clients give a
   * stream up after 30 s of silence.
   */
  readonly heartbeatMs?: number | undefined
  /** How long a client may stop reading before its stream is cut off, in milliseconds: 30,000. */
  readonly maxStallMs?: number
  readonly now?: () => Date
}

export interface RunningServer extends AsyncDisposable {
  readonly url: string
  /** Ends every run and every stream in order, then stops listening. Does not close the store, which is the caller's. */
  close(): Promise<void>
}

/**
 * Ends the runs that an earlier process left unfinished, then listens. Throws a `StartError` when the server must not be
 * started with these options.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  // The caller may have made the logger. This keeps what errors of providers carry out of it.
  const logger = withErrorFacts(options.logger)
  const { host = '127.0.0.1', port = 4000, tokens = new Map(), heartbeatMs = 15_000 } = options
  assertSafe(host, tokens)
  assertHeartbeat(heartbeatMs)
  const closing = new AbortController()
  const services = createServices({ ...options, logger, heartbeatMs }, closing.signal)
  const { runner, channels } = services
  await runner.recover()

  const pages = options.pageFolder === undefined ? [] : await staticPages(options.pageFolder)
  const hosts = [...loopbackHosts, host, ...(options.hosts ?? [])].map(name => name.toLowerCase())
  const server = createHttpServer(createApp(services, { hosts, tokens }, pages), logger)
  const url = await server.listen({ host, port })
  await channels.start()

  async function close(): Promise<void> {
    server.stop()
    // Runs first: afterwards the log has the end of every run.
    await runner.close()
    await channels.close()
    // Every stream shows what the log has, and then ends.
    closing.abort()
    await server.finish()
  }
  return { url, close, [Symbol.asyncDispose]: close }
}

type ServiceOptions = Omit<ServerOptions, 'heartbeatMs'> & Pick<Services, 'heartbeatMs'>

/** Makes what the routes work with. */
function createServices(options: ServiceOptions, closing: AbortSignal): Services {
  const { store, logger, heartbeatMs, maxStallMs = 30_000, now = () => new Date() } = options
  const agents = new Map(options.agents.map(agent => [agent.name, agent]))
  const system = withDefinitions(options.system ?? agentSystem(), store.definitions)
  const approvals = new ApprovalWaits(store, now)
  const operators = new OperatorDesk()
  const taken = new Map([[operators.agent.name, 'the name of the people who answer in place of agents']])
  for (const warning of checkAgents({ agents: options.agents, system, taken })) logger.warn(warning)
  const shared = { store, approvals, logger, now }
  const runner: Runner = new Runner({
    ...shared,
    agents: new Map([...agents, [operators.agent.name, operators.agent]]),
    person: target => operators.person(target),
    system,
    batching: options.batching,
    onBegin: run => channels.onRun(run),
  })
  const installed = options.channels ?? new Map()
  const channels = new ChannelHost({ ...shared, runner, agents, operators, channels: installed })
  return { ...shared, runner, channels, system, agents, heartbeatMs, maxStallMs, closing }
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
