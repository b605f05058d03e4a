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
  /** Where chats, runs and logs are stored. The server does not close it. */
  readonly store: Store
  /** The agents that people can talk to. The first one answers when a request names none. */
  readonly agents: readonly Agent[]
  /** Tools, sub-agents, limits and prices. Without it, agents have only what they bring themselves. */
  readonly system?: AgentSystem
  /** Other places where people talk with the agents, such as Telegram, by name. Default: none. */
  readonly channels?: ReadonlyMap<string, InstalledChannel> | undefined
  readonly logger: Logger
  /** The address to listen on. Any other than a loopback address needs `tokens`. Default: `127.0.0.1`. */
  readonly host?: string
  /** 0 for any free port. Default: 4000. */
  readonly port?: number
  /** More host names of the server, besides `host` and the loopback names. Requests to other names are refused. */
  readonly hosts?: readonly string[]
  /** The owner that each token stands for. Without tokens, everybody is the owner `local`. Default: no tokens. */
  readonly tokens?: ReadonlyMap<string, OwnerId>
  /** The folder of the built page. Without it there is no page, only the HTTP interface. */
  readonly pageFolder?: string | undefined
  /** How text is joined on its way into the log. Default: text waits for at most 50 ms or 10 characters. */
  readonly batching?: Pick<BatchOptions, 'maxDelayMs' | 'maxChars'> | undefined
  /**
   * How often an idle stream sends a heartbeat, in milliseconds. At most 25,000, because clients give up after 30
   * seconds of silence. Default: 15,000.
   */
  readonly heartbeatMs?: number | undefined
  /**
   * How long a viewer of a stream may read nothing before its connection is closed, in milliseconds. Default: 30,000.
   */
  readonly maxStallMs?: number
  /** The clock. Default: the system's. */
  readonly now?: () => Date
}

export interface RunningServer extends AsyncDisposable {
  /** The address of the server, with the port that it listens on. */
  readonly url: string
  /** Ends every run and every stream, then stops listening. Does not close the store. */
  close(): Promise<void>
}

/**
 * Starts a server. First ends the runs that an earlier process left unfinished, then listens. Throws a `StartError`
 * when the options cannot work, and the error of Node when it cannot listen.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  // The errors of providers may carry prompts and keys. They are removed here, whatever logger was given.
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
