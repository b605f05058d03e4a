import type { Agent } from '@throughline/agents'
import type { OwnerId } from '@throughline/protocol'
import type { Store } from '@throughline/store'
import type { Context } from 'hono'
import type { Logger } from 'pino'
import type { ChannelHost } from '../channels/channel-host.ts'
import type { ChatLists } from '../chat-list/chat-lists.ts'
import type { ServerNode } from '../nodes/server-node.ts'
import type { AgentSystem } from '../runs/agent-system.ts'
import type { ApprovalWaits } from '../runs/approval-waits.ts'
import type { OutputWaits } from '../runs/output-waits.ts'
import type { Readiness } from '../runs/readiness.ts'
import type { Runner } from '../runs/runner.ts'
import type { Sender } from '../runs/sender.ts'
import type { StoreWatch } from '../runs/store-watch.ts'
import type { Heartbeats } from '../stream/heartbeats.ts'
import type { KnownKey } from '../throughline-options.ts'
import type { HeldBody } from './body-budget.ts'
import type { Connection } from './connection.ts'

/** What the routes work with. */
export interface Services {
  readonly store: Store
  readonly runner: Runner
  /** This process among those that share the store. `undefined` when no other process uses it. */
  readonly node?: ServerNode | undefined
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
  /**
   * Aborts when the server shuts down and no run writes any more. Then open streams send what the log has, and end.
   */
  readonly closing: AbortSignal
}

/** What Hono gives to each handler: the connection, and what the guards found out. */
export interface HttpEnv {
  Bindings: Connection
  Variables: {
    ownerId: OwnerId
    sender: Sender
    requestId: string
    /** The memory that the body of the request holds, until the handler has ended. */
    held: HeldBody
    /** The headers of the response that let a page of another origin read it. */
    corsHeaders: Readonly<Record<string, string>>
  }
}

/** The request that a handler works on. */
export type HttpContext = Context<HttpEnv>
