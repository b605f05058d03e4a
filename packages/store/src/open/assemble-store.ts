import type { LogStore } from '@throughline/log'
import { createChannelChats } from '../channels/channel-chats.ts'
import { createChannelOutbox } from '../channels/channel-outbox.ts'
import { createDeliveryOwners } from '../channels/delivery-owners.ts'
import { createOperatorReplies } from '../channels/operator-replies.ts'
import { createChatList } from '../chats/chat-list.ts'
import { createChatRemovals } from '../chats/chat-removals.ts'
import { createChats } from '../chats/chats.ts'
import { createDueTrims } from '../chats/due-trims.ts'
import type { RemovalLease } from '../chats/removal-statements.ts'
import { createShares } from '../chats/shares.ts'
import type { StoreDatabase } from '../database/database.ts'
import type { FileBytes } from '../file-bytes/file-bytes.ts'
import { createFiles } from '../files/files.ts'
import { createUnsavedFiles, startFileSweeps } from '../files/unsaved-files.ts'
import { createMessages, hideRemovedMessages } from '../messages/messages.ts'
import { createJobLeases } from '../nodes/job-leases.ts'
import { createNodes } from '../nodes/nodes.ts'
import type { SharedClock } from '../nodes/shared-clock.ts'
import { createSharedKeys } from '../nodes/shared-keys.ts'
import { createDefinitions } from '../owners/definitions.ts'
import { createMcpSignIns } from '../owners/mcp-sign-ins.ts'
import { createUsageDays } from '../owners/usage-days.ts'
import { createWaitingSubmissions } from '../queue/waiting-submissions.ts'
import { createApprovals } from '../runs/approvals.ts'
import { createRuns } from '../runs/create-runs.ts'
import { createRunOwners } from '../runs/run-owners.ts'
import { createRunQuarantine } from '../runs/run-quarantine.ts'
import type { Runs } from '../runs/runs.ts'
import type { Store } from './store.ts'

/** What a store is made from besides its database. */
export interface StoreParts extends Pick<Store, 'backup' | 'facts' | 'health' | 'signals' | 'sizes'> {
  readonly log: LogStore
  /** The same database, for what must not be late: the beats of nodes and their leases. Default: no other way to it. */
  readonly punctual?: StoreDatabase | undefined
  /** Where the bytes of files are. */
  readonly fileBytes: FileBytes
  readonly report: (problem: string) => void
  /** Several processes use the database. Without it, only this one does. */
  readonly lease?: RemovalLease | undefined
  /** The clock of the database. Default: the clock of this machine. */
  readonly clock?: SharedClock | undefined
  /** See `Store.maxWaitMs`. Default: 0. */
  readonly maxWaitMs?: number | undefined
  /** Closes the log and the database. */
  readonly close: () => Promise<void>
}

/** Makes a store from a database that is open. Goes on with what an earlier process has left unfinished. */
export async function assembleStore(
  database: StoreDatabase,
  {
    log,
    signals,
    punctual = database,
    fileBytes: bytes,
    report,
    lease,
    clock,
    maxWaitMs = 0,
    close,
    ...watches
  }: StoreParts,
): Promise<Store> {
  const now = () => (clock === undefined ? new Date() : new Date(clock.nowMs()))
  const unsaved = createUnsavedFiles(database, { bytes, now })
  const files = createFiles(database, { bytes, unsaved })
  const removals = createChatRemovals(database, { files, log, report, lease })
  await removals.resume()
  const sweeps = startFileSweeps(unsaved, { report })
  return {
    isShared: lease !== undefined,
    now,
    maxWaitMs,
    chats: createChats(database, removals, signals),
    chatList: createChatList(database, removals),
    messages: hideRemovedMessages(createMessages(database), removals),
    runs: ringForRuns(createRuns(database, removals), signals),
    approvals: createApprovals(database),
    files,
    definitions: createDefinitions(database),
    channelChats: createChannelChats(database, removals),
    outbox: createChannelOutbox(database),
    dueTrims: createDueTrims(database, removals),
    waitingSubmissions: createWaitingSubmissions(database),
    operatorReplies: createOperatorReplies(database),
    usageDays: createUsageDays(database),
    shares: createShares(database, removals),
    mcpSignIns: createMcpSignIns(database),
    log,
    signals,
    nodes: createNodes(punctual, clock),
    runOwners: createRunOwners(database, removals),
    runQuarantine: createRunQuarantine(database, removals),
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

/** Returns the same runs. They ring for the chat of a run that begins or ends: a list of chats shows whether one goes on. */
function ringForRuns(runs: Runs, signals: Pick<Store['signals'], 'ring'>): Runs {
  return {
    ...runs,
    async claim(run, start) {
      const isClaimed = await runs.claim(run, start)
      if (isClaimed) signals.ring(run)
      return isClaimed
    },
    async end(run, end) {
      const isEnded = await runs.end(run, end)
      signals.ring(run)
      return isEnded
    },
    async endDamaged(run, end) {
      const isEnded = await runs.endDamaged(run, end)
      if (run.chat !== undefined) signals.ring(run.chat)
      return isEnded
    },
  }
}
