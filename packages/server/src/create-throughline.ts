import type { Agent } from '@throughline/agents'
import type { OwnerId } from '@throughline/protocol'
import { withPatience } from '@throughline/store'
import { pino } from 'pino'
import { createServices } from './create-services.ts'
import { type ChatToFollow, type FollowedEntry, followEntries } from './embed/follow-chat.ts'
import { chatKey, type NamedChat } from './embed/named-chat.ts'
import { type ChatReader, chatReader } from './embed/read-chats.ts'
import { type MessageToSend, type SentMessage, sendMessage } from './embed/send-message.ts'
import { type GoingDown, goingDown } from './go-down.ts'
import { createApp } from './http/app.ts'
import { basePathFrom } from './http/guards/base-path.ts'
import { assertOrigins } from './http/guards/guard.ts'
import { createGate, type Gate } from './http/listen/gate.ts'
import type { NodeHandler } from './http/listen/node-server.ts'
import type { Services } from './http/request/context.ts'
import { areNone, TokenTable } from './http/sign-in/token-table.ts'
import { staticPages } from './http/static-pages.ts'
import { startLogSweeper } from './log-sweeper.ts'
import { StartError } from './refusals/start-error.ts'
import { withErrorFacts } from './server-log.ts'
import type { StopResult } from './stopping/stop-active.ts'
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
   * Says that this process goes down: `/ready` is 503, and no connection is kept open for another request. Requests are still
   * taken, for `drainMs` milliseconds. Resolves after that time, or when `close` is called. To be called before the
   * application stops to listen.
   */
  drain(): Promise<void>
  /**
   * Drains, if that was not done before. Then ends every run and every stream. When other nodes share the store, leaves the
   * runs to them, and waits for responses that show one answer, for `finishMs` milliseconds at most. Does not close the store.
   * Later requests get a 503. May be called again: then it does not wait for the end of `drain`.
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
  /** Ends a drain that is under way. */
  readonly endDrain: () => void
}> {
  // The errors of providers may carry prompts and keys. They are removed here, whatever logger was given.
  const logger = withErrorFacts(options.logger ?? pino({ level: 'warn' }))
  const { tokens = new Map<string, OwnerId>(), heartbeatMs = 15_000, hosts = [], origins = [] } = options
  const { authenticate, authenticateMs, ticketMs, drainMs, finishMs = 15_000 } = options
  const basePath = basePathFrom(options.basePath ?? '')
  assertHeartbeat(heartbeatMs)
  assertOrigins(origins)
  const { pageFolder, sharing = true } = options
  const pages = pageFolder === undefined ? [] : await staticPages(pageFolder, { basePath, sharing })
  const closing = new AbortController()
  const over = new AbortController()
  const signals = { closing: closing.signal, over: over.signal }
  const services = createServices({ ...options, logger, heartbeatMs }, signals)
  // Alone, this process takes over every run that has not ended. A node takes over those of dead nodes only.
  await services.runKeeper.start()
  services.runner.takeUpQueues()
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
  const { maxWaitMs } = store
  const gate = createGate(app, { basePath, logger, isForAll, maxWaitMs })
  const down = goingDown({
    services,
    gate,
    drainMs,
    finishMs,
    stopSweeping,
    endLogs: () => closing.abort(),
    endAll: () => over.abort(),
  })
  return {
    throughline: throughlineOf(services, gate, down),
    endDrain: down.endDrain,
    async startChannels() {
      await services.channels.start()
      services.readiness.started()
    },
  }
}

function throughlineOf(services: Services, gate: Gate, { drain, close }: GoingDown): Throughline {
  const { runner, store, agents } = services
  return {
    fetch: gate.fetch,
    handle: gate.handle,
    agents: [...agents.values()].map(({ name, displayName, description, examples }) => {
      return { name, displayName, description, examples }
    }),
    chats: chatReader(store),
    send: message => withPatience({ maxWaitMs: store.maxWaitMs }, () => sendMessage(services, message)),
    follow: chat => followEntries(services, chat),
    stop: async chat => runner.stop(chatKey(chat)),
    drain,
    close,
    [Symbol.asyncDispose]: close,
  }
}

const loopbackHosts = ['127.0.0.1', 'localhost', '[::1]']

function assertHeartbeat(heartbeatMs: number): void {
  if (heartbeatMs > 0 && heartbeatMs <= 25_000) return
  throw new StartError(
    'stream',
    `heartbeatMs is ${heartbeatMs}, and must be from 1 to 25000: clients take a stream that is silent for 30 s for dead.`,
  )
}
