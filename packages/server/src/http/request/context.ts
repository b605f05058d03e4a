import type { Agent } from '@throughline/agents'
import type { OwnerId } from '@throughline/protocol'
import type { Store } from '@throughline/store'
import type { Context } from 'hono'
import type { Logger } from 'pino'
import type { ChannelHost } from '../../channels/channel-host.ts'
import type { ChatLists } from '../../chat-list/chat-lists.ts'
import type { StoreWatch } from '../../engine/store-watch.ts'
import type { LoneProcess } from '../../nodes/lone-process.ts'
import type { ServerNode } from '../../nodes/server-node.ts'
import type { Runner } from '../../runs/runner.ts'
import type { Heartbeats } from '../../stream/bytes/send-stream.ts'
import type { ApprovalWaits } from '../../waits/approval-waits.ts'
import type { OutputWaits } from '../../waits/output-waits.ts'
import type { AgentSystem } from '../../who/agent-system.ts'
import type { Sender } from '../../who/sender.ts'
import type { HeldBody } from './body-budget.ts'
import type { Connection } from './connection.ts'
import type { Readiness } from './readiness.ts'

/** Whether a key is set. Its value is not here. */
export interface KnownKey {
  /** The name of the environment variable, such as `OPENAI_API_KEY`. */
  readonly name: string
  readonly isSet: boolean
}

/** What the routes work with. */
export interface Services {
  readonly store: Store
  readonly runner: Runner
  /** This process among those that share the store. `undefined` when no other process uses it. */
  readonly node?: ServerNode | undefined
  /** Takes over the runs of other processes: the node, or this process alone. */
  readonly runKeeper: LoneProcess | ServerNode
  readonly approvals: ApprovalWaits
  readonly outputs: OutputWaits
  /** Whether requests may bring tools of their own. */
  readonly takesClientTools: boolean
  readonly channels: ChannelHost
  readonly chatLists: ChatLists
  readonly system: AgentSystem
  /** The first one answers when a request names no agent. */
  readonly agents: ReadonlyMap<string, Agent>
  readonly logger: Logger
  readonly storeWatch: StoreWatch
  readonly readiness: Readiness
  readonly now: () => Date
  /** When this process began to serve. */
  readonly startedAt: Date
  readonly isOperator: (ownerId: OwnerId) => boolean
  readonly keys: readonly KnownKey[]
  /** Whether people can share copies of their chats by a link. */
  readonly isSharing: boolean
  readonly heartbeats: Heartbeats
  readonly maxStallMs: number
  /** How long requests wait for the first byte of their responses. */
  readonly patience: Patience
  /**
   * Aborts when the server shuts down and no run of it writes any more. Then streams whose viewers come back by themselves send
   * what the log has, and end.
   */
  readonly closing: AbortSignal
  /**
   * Aborts at the end, when responses that show one run have had time to follow it on another node. Then they send what
   * the log has, and end.
   */
  readonly over: AbortSignal
}

/** What Hono gives to each handler: the connection, and what the guards found out. */
export interface HttpEnv {
  Bindings: Connection
  Variables: {
    ownerId: OwnerId
    sender: Sender
    requestId: string
    /** When the request came, in milliseconds of `performance.now`. */
    begunAt: number
    /** The memory that the body of the request holds, until the handler has ended. */
    held: HeldBody
    /** The headers of the response that let a page of another origin read it. */
    corsHeaders: Readonly<Record<string, string>>
  }
}

/** The request that a handler works on. */
export type HttpContext = Context<HttpEnv>

/**
 * The times after which something is done about a request without a response, in milliseconds. Proxies and clients take a
 * connection for dead that is silent for too long. So no request is silent for longer than 15 seconds.
 */
interface Patience {
  /** Then a response begins that may take long, and has heartbeats from then on. */
  readonly beginMs: number
  /** Then any other request is refused. */
  readonly refuseMs: number
}

/** Returns the times for a server with these heartbeats. */
export function patienceFor(heartbeatMs: number): Patience {
  const usual = Math.min(heartbeatMs, 15_000)
  // A store is not broken because it needs longer than a short heartbeat.
  return { beginMs: usual * (2 / 3), refuseMs: Math.max(5_000, usual * 0.9) }
}
