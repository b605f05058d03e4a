import type { Agent } from '@throughline/agents'
import type { OwnerId } from '@throughline/protocol'
import { pino } from 'pino'
import { createServices } from './create-services.ts'
import { type ChatToFollow, type FollowedEntry, followChat } from './embed/follow-chat.ts'
import { chatKey, type NamedChat } from './embed/named-chat.ts'
import { type ChatReader, chatReader } from './embed/read-chats.ts'
import { type MessageToSend, type SentMessage, sendMessage } from './embed/send-message.ts'
import { createApp } from './http/app.ts'
import { basePathFrom } from './http/base-path.ts'
import { assertOrigins } from './http/check-origins.ts'
import type { Services } from './http/context.ts'
import { createGate, type Gate } from './http/gate.ts'
import type { NodeHandler } from './http/node-listener.ts'
import { staticPages } from './http/static-pages.ts'
import { areNone, TokenTable } from './http/token-table.ts'
import { startLogSweeper } from './log-sweeper.ts'
import type { StopResult } from './runs/stop-active.ts'
import { withErrorFacts } from './server-log.ts'
import { StartError } from './start-error.ts'
import type { ThroughlineOptions } from './throughline-options.ts'

/** An agent that people can talk to. */
export type ListedAgent = Pick<Agent, 'name' | 'displayName' | 'description' | 'examples'>

/** Throughline inside an application. It does not listen for connections: the application passes requests to it. */
export interface Throughline extends AsyncDisposable {
  /** Responds to a web-standard request. Streams are bodies with back pressure. Does not reject. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Handles a request of `node:http`, Express, or Fastify's `request.raw` and `reply.raw`. See `NodeHandler`. */
  readonly handle: NodeHandler
  /** The agents that people can talk to. The first one answers when a request names none. */
  readonly agents: readonly ListedAgent[]
  /** Reads chats and their messages, of any owner. */
  readonly chats: ChatReader
  /**
   * Sends a message and starts its run, as a request would. Resolves as soon as the run has begun. Throws a
   * `ProblemError` with a `code`, such as `chat-busy` or `unknown-agent`.
   */
  send(message: MessageToSend): Promise<SentMessage>
  /**
   * Yields the entries of a chat's log: first those that are there, then new ones. Throws a `ProblemError`
   * (`chat-not-found`, `run-not-found` or `position-unknown`). See `followChat`.
   */
  follow(chat: ChatToFollow): AsyncIterable<FollowedEntry>
  /**
   * Stops the run of a chat, and resolves when its end is saved. If that takes longer than 1.5 seconds, such as on a
   * full disk, resolves with `stopping`: the run is aborted, and its end is saved later. Throws a `ProblemError`
   * (`invalid-id`).
   */
  stop(chat: NamedChat): Promise<StopResult>
  /**
   * Ends every run and every stream. When other nodes share the store, leaves the runs to them. Does not close the store.
   * Later requests get a 503. May be called again.
   */
  close(): Promise<void>
}

/**
 * Makes a Throughline for an application that has its own server. First takes over the runs that an earlier process, or a
 * dead node, left unfinished. Throws a `StartError` when the options cannot work.
 *
 * @public
 */
export async function createThroughline(options: ThroughlineOptions): Promise<Throughline> {
  const { throughline, startChannels } = await prepareThroughline(options)
  await startChannels()
  return throughline
}

/** Makes a Throughline whose channels are not started yet. For a server that has to listen before they start. */
export async function prepareThroughline(options: ThroughlineOptions): Promise<{
  readonly throughline: Throughline
  readonly startChannels: () => Promise<void>
}> {
  // The errors of providers may carry prompts and keys. They are removed here, whatever logger was given.
  const logger = withErrorFacts(options.logger ?? pino({ level: 'warn' }))
  const { tokens = new Map<string, OwnerId>(), heartbeatMs = 15_000, hosts = [], origins = [] } = options
  const { authenticate, authenticateMs, ticketMs } = options
  const basePath = basePathFrom(options.basePath ?? '')
  assertHeartbeat(heartbeatMs)
  assertOrigins(origins)
  const { pageFolder, sharing = true } = options
  const pages = pageFolder === undefined ? [] : await staticPages(pageFolder, { basePath, sharing })
  const closing = new AbortController()
  const services = createServices({ ...options, logger, heartbeatMs }, closing.signal)
  // Alone, this process takes over every run that has not ended. A node takes over those of dead nodes only.
  if (services.node === undefined) await services.runner.recover()
  else {
    await services.node.start()
    services.runner.takeUpQueues()
  }
  const { store, now } = services
  const stopSweeping = startLogSweeper({ store, now, logger, retention: options.retention ?? {} })

  const names = [...loopbackHosts, ...hosts].map(name => name.toLowerCase())
  // The stream that a ticket opens may be asked for on another node than the one that issued it.
  const ticketKey = store.isShared ? await store.sharedKeys.of('tickets') : undefined
  const isForAll = areNone(tokens) && authenticate === undefined
  const table = new TokenTable(tokens)
  const guard = {
    hosts: names,
    origins,
    tokens: table,
    isForAll,
    authenticate,
    authenticateMs,
    ticketMs,
    ticketKey,
  }
  const app = createApp(services, guard, pages)
  const gate = createGate(app, { basePath, logger, isForAll })
  return {
    throughline: throughlineOf(services, gate, { endStreams: () => closing.abort(), stopSweeping }),
    async startChannels() {
      await services.channels.start()
      services.readiness.started()
    },
  }
}

interface Endings {
  readonly endStreams: () => void
  readonly stopSweeping: () => Promise<void>
}

function throughlineOf(services: Services, gate: Gate, { endStreams, stopSweeping }: Endings): Throughline {
  const { runner, channels, store, agents, node, readiness } = services
  async function end(): Promise<void> {
    readiness.closing()
    node?.refuseNew()
    // Runs first: afterwards this process writes nothing more to the log.
    if (await node?.hasOthers()) await leaveRuns(services)
    else await runner.close()
    await channels.close()
    await node?.close()
    await stopSweeping()
    // Every stream shows what the log has, and then ends.
    endStreams()
    await gate.close()
  }
  let ended: Promise<void> | undefined
  const close = () => (ended ??= end())
  return {
    fetch: gate.fetch,
    handle: gate.handle,
    agents: [...agents.values()].map(({ name, displayName, description, examples }) => {
      return { name, displayName, description, examples }
    }),
    chats: chatReader(store),
    send: message => sendMessage(services, message),
    follow: chat => followChat(services, chat),
    stop: async chat => runner.stop(chatKey(chat)),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Leaves the runs to other nodes, which go on with them. */
async function leaveRuns({ runner, node }: Services): Promise<void> {
  runner.refuseNew()
  await node?.leaveRuns()
}

const loopbackHosts = ['127.0.0.1', 'localhost', '[::1]']

function assertHeartbeat(heartbeatMs: number): void {
  if (heartbeatMs > 0 && heartbeatMs <= 25_000) return
  throw new StartError(
    'stream',
    `heartbeatMs is ${heartbeatMs}, and must be from 1 to 25000: clients take a stream that is silent for 30 s for dead.`,
  )
}
