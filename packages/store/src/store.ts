import type { LogStore } from '@throughline/log'
import type { Approvals } from './approvals.ts'
import type { StoreBackup } from './backup/write-backup.ts'
import type { ChannelChats } from './channel-chats.ts'
import type { ChatList } from './chat-list.ts'
import type { Chats } from './chats.ts'
import type { DatabaseFacts } from './database-facts.ts'
import type { Definitions } from './definitions.ts'
import type { DeliveryOwners } from './delivery-owners.ts'
import type { DueTrims } from './due-trims.ts'
import type { Files } from './files.ts'
import type { JobLeases } from './job-leases.ts'
import type { McpSignIns } from './mcp-sign-ins.ts'
import type { Messages } from './messages.ts'
import type { Nodes } from './nodes.ts'
import type { OperatorReplies } from './operator-replies.ts'
import type { Outbox } from './outbox.ts'
import type { RunOwners } from './run-owners.ts'
import type { Runs } from './runs.ts'
import type { SharedKeys } from './shared-keys.ts'
import type { Shares } from './shares.ts'
import type { Signals } from './signals.ts'
import type { StoreHealth } from './store-health.ts'
import type { StoreSizes } from './store-sizes.ts'
import type { UsageDays } from './usage-days.ts'
import type { WaitingSubmissions } from './waiting-submissions.ts'

/**
 * Everything that is kept when the process ends. In SQLite, one process at a time can have it open. In Postgres, any
 * number of processes can.
 */
export interface Store {
  /** Whether several processes can have it open at the same time. */
  readonly isShared: boolean
  readonly chats: Chats
  readonly chatList: ChatList
  readonly messages: Messages
  readonly runs: Runs
  readonly approvals: Approvals
  readonly files: Files
  readonly definitions: Definitions
  readonly channelChats: ChannelChats
  readonly outbox: Outbox
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
