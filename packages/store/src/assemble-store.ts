import type { LogStore } from '@throughline/log'
import { createApprovals } from './approvals.ts'
import { createChannelChats } from './channel-chats.ts'
import { createChatList } from './chat-list.ts'
import { createChatRemovals } from './chat-removals.ts'
import { createChats } from './chats.ts'
import { createRuns } from './create-runs.ts'
import { createDefinitions } from './definitions.ts'
import { createDeliveryOwners } from './delivery-owners.ts'
import { createDueTrims } from './due-trims.ts'
import type { FileBytes } from './file-bytes/file-bytes.ts'
import { startFileSweeps } from './file-sweeps.ts'
import { createFiles } from './files.ts'
import { hideRemovedMessages } from './hide-removed.ts'
import { createJobLeases } from './job-leases.ts'
import { createMcpSignIns } from './mcp-sign-ins.ts'
import { createMessages } from './messages.ts'
import { createNodes } from './nodes.ts'
import { createOperatorReplies } from './operator-replies.ts'
import { createOutbox } from './outbox.ts'
import type { RemovalLease } from './removal-statements.ts'
import { ringForRuns } from './ring-for-runs.ts'
import { createRunOwners } from './run-owners.ts'
import type { Database } from './schema.ts'
import { createSharedKeys } from './shared-keys.ts'
import { createShares } from './shares.ts'
import type { Store } from './store.ts'
import { createUnsavedFiles } from './unsaved-files.ts'
import { createUsageDays } from './usage-days.ts'
import { createWaitingSubmissions } from './waiting-submissions.ts'

/** What a store is made from besides its database. */
export interface StoreParts extends Pick<Store, 'backup' | 'facts' | 'health' | 'signals' | 'sizes'> {
  readonly log: LogStore
  /** The same database, for what must not be late: the beats of nodes and their leases. Default: no other way to it. */
  readonly punctual?: Database | undefined
  /** Where the bytes of files are. */
  readonly fileBytes: FileBytes
  readonly report: (problem: string) => void
  /** Several processes use the database. Without it, only this one does. */
  readonly lease?: RemovalLease | undefined
  /** Closes the log and the database. */
  readonly close: () => Promise<void>
}

/** Makes a store from a database that is open. Goes on with what an earlier process has left unfinished. */
export async function assembleStore(
  database: Database,
  { log, signals, punctual = database, fileBytes: bytes, report, lease, close, ...watches }: StoreParts,
): Promise<Store> {
  const unsaved = createUnsavedFiles(database, { bytes })
  const files = createFiles(database, { bytes, unsaved })
  const removals = createChatRemovals(database, { files, log, report, lease })
  await removals.resume()
  const sweeps = startFileSweeps(unsaved, { report })
  return {
    isShared: lease !== undefined,
    chats: createChats(database, removals, signals),
    chatList: createChatList(database, removals),
    messages: hideRemovedMessages(createMessages(database), removals),
    runs: ringForRuns(createRuns(database, removals), signals),
    approvals: createApprovals(database),
    files,
    definitions: createDefinitions(database),
    channelChats: createChannelChats(database, removals),
    outbox: createOutbox(database),
    dueTrims: createDueTrims(database, removals),
    waitingSubmissions: createWaitingSubmissions(database),
    operatorReplies: createOperatorReplies(database),
    usageDays: createUsageDays(database),
    shares: createShares(database, removals),
    mcpSignIns: createMcpSignIns(database),
    log,
    signals,
    nodes: createNodes(punctual),
    runOwners: createRunOwners(database, removals),
    deliveryOwners: createDeliveryOwners(database),
    jobLeases: createJobLeases(punctual),
    sharedKeys: createSharedKeys(database),
    ...watches,
    async close() {
      await close()
      await removals.close()
      await sweeps.close()
    },
  }
}
