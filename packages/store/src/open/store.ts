import type { LogStore } from '@throughline/log'
import type { StoreBackup } from '../backup/write-backup.ts'
import type { ChannelChats } from '../channels/channel-chats.ts'
import type { ChannelOutbox } from '../channels/channel-outbox.ts'
import type { DeliveryOwners } from '../channels/delivery-owners.ts'
import type { OperatorReplies } from '../channels/operator-replies.ts'
import type { ChatList } from '../chats/chat-list.ts'
import type { Chats } from '../chats/chats.ts'
import type { DueTrims } from '../chats/due-trims.ts'
import type { Shares } from '../chats/shares.ts'
import type { Files } from '../files/files.ts'
import type { DatabaseFacts, StoreSizes } from '../health/database-facts.ts'
import type { StoreHealth } from '../health/store-health.ts'
import type { Messages } from '../messages/messages.ts'
import type { JobLeases } from '../nodes/job-leases.ts'
import type { Nodes } from '../nodes/nodes.ts'
import type { SharedKeys } from '../nodes/shared-keys.ts'
import type { Signals } from '../nodes/signals.ts'
import type { Definitions } from '../owners/definitions.ts'
import type { McpSignIns } from '../owners/mcp-sign-ins.ts'
import type { UsageDays } from '../owners/usage-days.ts'
import type { WaitingSubmissions } from '../queue/waiting-submissions.ts'
import type { Approvals } from '../runs/approvals.ts'
import type { RunOwners } from '../runs/run-owners.ts'
import type { RunQuarantine } from '../runs/run-quarantine.ts'
import type { Runs } from '../runs/runs.ts'

/**
 * Everything that is kept when the process ends. In SQLite, one process at a time can have it open. In Postgres, any
 * number of processes can.
 */
export interface Store {
  /** Whether several processes can have it open at the same time. */
  readonly isShared: boolean
  /**
   * Returns the time that all who share the store agree on: that of the database server. In SQLite, the clock of this
   * machine. What one node writes and another one compares has this time.
   */
  now(): Date
  /**
   * How long a run waits for the database, in milliseconds, while the server is away or refuses statements for a moment:
   * see `withPatience`. 0 when there is no server.
   */
  readonly maxWaitMs: number
  readonly chats: Chats
  readonly chatList: ChatList
  readonly messages: Messages
  readonly runs: Runs
  readonly approvals: Approvals
  readonly files: Files
  readonly definitions: Definitions
  readonly channelChats: ChannelChats
  readonly outbox: ChannelOutbox
  readonly dueTrims: DueTrims
  readonly waitingSubmissions: WaitingSubmissions
  readonly operatorReplies: OperatorReplies
  readonly usageDays: UsageDays
  readonly shares: Shares
  readonly mcpSignIns: McpSignIns
  readonly log: LogStore
  readonly signals: Signals
  /** The processes that share the store. */
  readonly nodes: Nodes
  readonly runOwners: RunOwners
  readonly runQuarantine: RunQuarantine
  readonly deliveryOwners: DeliveryOwners
  /** The jobs that only one of these processes may do at a time. */
  readonly jobLeases: JobLeases
  readonly sharedKeys: SharedKeys
  /** Returns which database it uses. Cheap. */
  facts(): Promise<DatabaseFacts>
  /** Returns whether the store can be written. The result may be up to a second old. Never rejects. */
  health(): Promise<StoreHealth>
  /** Returns how much room the database takes on the disk. Cheap: no rows are read. */
  sizes(): Promise<StoreSizes>
  /**
   * Makes a backup of everything, while the store is used: a folder that a server can be started on. Throws a
   * `BackupError`. Only a store in a folder has it.
   */
  readonly backup?: ((target: string) => Promise<StoreBackup>) | undefined
  /** Closes the database. Close what uses the store first. */
  close(): Promise<void>
}
