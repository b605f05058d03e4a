import {
  assertKnown,
  type Bells,
  createBells,
  createRecentEntries,
  type Lease,
  type LogName,
  type LogStore,
  type RecentEntries,
  sealDrafts,
} from '@throughline/log'
import type { Entry, Position } from '@throughline/protocol'
import { AppendQueue, type Committed, type QueueOptions } from './append-queue.ts'
import { assertHeld, commitAppends } from './commit-appends.ts'
import { FollowedLogs } from './followed-logs.ts'
import { HearOthers } from './hear-others.ts'
import { KnownEnds } from './known-ends.ts'
import { type LoadHead, loadHeadsTogether } from './load-heads.ts'
import { LogRemovals } from './log-removals.ts'
import { acquireQuery, openQuery, removeQuery, trimQuery } from './log-row-queries.ts'
import { entryFrom, type LogHead } from './log-rows.ts'
import { knowsTimeline, storedEpoch } from './log-timeline.ts'
import type { Notifications } from './notifications.ts'
import {
  createPatientQueries,
  type PatienceOptions,
  type PatientQueries,
  type QueryPool,
} from './patient-queries.ts'
import { entriesOf, readHeads, readPage } from './read-logs.ts'
import { RingOthers } from './ring-others.ts'
import { changedLine } from './ring-payload.ts'

/** What the log in Postgres runs on. It closes neither of them. */
export interface PostgresConnections {
  readonly pool: QueryPool
  readonly notifications: Notifications
}

/** How the log uses Postgres. */
export interface PostgresLogOptions extends PatienceOptions, QueueOptions {
  /**
   * Whether a log gets a new epoch when it is first used after a failover. Turn it off if every standby is synchronous:
   * then a failover loses nothing. Default: true, if the server says its timeline.
   */
  readonly isTimelineTracked?: boolean
  /** How often the ends of followed logs are read, in case that a notification was lost, in milliseconds. Default: 4,500. */
  readonly pollMs?: number
  readonly now?: () => number
}

/** A log store that must be closed. */
export interface PostgresLogStore extends LogStore {
  /** Ends what runs in the background. Appends that still wait for the server are refused. */
  close(): void
}

/** After the end of a run, its viewers read the last entries. So the entries stay in memory for so long. */
const lingerMs = 1_000

interface LogParts {
  readonly queries: PatientQueries
  readonly isTimelineTracked: boolean
  readonly loadHead: LoadHead
  readonly queue: AppendQueue
  readonly ends: KnownEnds
  readonly followed: FollowedLogs
  readonly recent: RecentEntries
  readonly bells: Bells
  readonly others: RingOthers
  readonly removals: LogRemovals
}

/**
 * Makes the log on the tables of log-schema.ts. Any number of processes can use it at once: a lease is a number in the
 * row of its log, which every append checks. Other processes hear of appends by notifications.
 */
export async function createPostgresLogStore(
  connections: PostgresConnections,
  options: PostgresLogOptions = {},
): Promise<PostgresLogStore> {
  const queries = createPatientQueries(connections.pool, options)
  const isTimelineTracked = (options.isTimelineTracked ?? true) && (await knowsTimeline(queries))
  const parts = createParts({ ...connections, queries }, { ...options, isTimelineTracked })
  const { recent, bells, followed, removals } = parts
  const hearing = new HearOthers({ ...parts, notifications: connections.notifications }, options.pollMs)
  await hearing.open()
  removals.start()
  return {
    acquire: log => acquire(parts, log),
    append: (lease, after, drafts) => append(parts, lease, { after, sealed: sealDrafts(lease.log, drafts) }),
    release({ log }) {
      setTimeout(() => recent.forget(log), lingerMs).unref()
    },
    read: (log, after, limit) => read(parts, log, { after, limit }),
    open: log => open(parts, log),
    onAppend(log, ring) {
      const ends = [bells.listen(log, ring), recent.watch(log), followed.follow(log)]
      return () => {
        for (const end of ends) end()
      }
    },
    async trim(log, upTo) {
      await queries.run(trimQuery(log, upTo))
      shorten(parts, log)
    },
    async remove(log) {
      await queries.run(removeQuery(log))
      shorten(parts, log)
    },
    close() {
      queries.close()
      hearing.close()
    },
  }
}

function createParts(
  { queries, notifications }: { queries: PatientQueries; notifications: Notifications },
  options: PostgresLogOptions & { readonly isTimelineTracked: boolean },
): LogParts {
  const { isTimelineTracked, now = Date.now } = options
  const loadHead = loadHeadsTogether(logs => readHeads(queries, logs, { isTimelineTracked }))
  const parts = {
    queries,
    isTimelineTracked,
    loadHead,
    ends: new KnownEnds(),
    followed: new FollowedLogs(),
    recent: createRecentEntries(),
    bells: createBells(),
    others: new RingOthers(notifications),
    removals: new LogRemovals(queries),
  }
  const queue = new AppendQueue(
    {
      commit: (appends, startedAt) => commitAppends(parts, appends, startedAt),
      ends: parts.ends,
      onCommitted: committed => publish(parts, committed),
      now,
    },
    options,
  )
  return { ...parts, queue }
}

async function acquire(parts: LogParts, log: LogName): Promise<Lease> {
  for (;;) {
    const [row] = await parts.queries.run(acquireQuery(log, parts))
    // A second query: the first one may have waited for an append of the last holder, which it cannot see.
    const head = await parts.loadHead(log)
    if (head === undefined || storedEpoch(head.epoch) !== row?.['epoch']) continue
    const lease = { log, fence: Number(row['fence']), head: learn(parts, log, head) }
    parts.ends.learn(lease, lease.head.seq)
    return lease
  }
}

async function open(parts: LogParts, log: LogName): Promise<Position> {
  for (;;) {
    const head = await parts.loadHead(log)
    if (head?.isOnTimeline) return learn(parts, log, head)
    await parts.queries.run(openQuery(log, parts))
  }
}

async function append(
  { queue, loadHead }: LogParts,
  lease: Lease,
  { after, sealed }: { readonly after: number; readonly sealed: ReturnType<typeof sealDrafts> },
): Promise<readonly Entry[]> {
  if (sealed.length > 0 && Number.isSafeInteger(after) && after >= 0)
    return queue.append(lease, after, sealed)
  assertHeld(lease, after, await loadHead(lease.log))
  return []
}

/** Hands committed entries to the followers in this process, and rings those in other ones. */
function publish(
  { followed, recent, bells, others }: Pick<LogParts, 'followed' | 'recent' | 'bells' | 'others'>,
  committed: readonly Committed[],
): void {
  for (const { log, epoch, entries, chars } of committed) {
    const seq = entries.at(-1)?.seq ?? 0
    recent.add({ log, head: { epoch, seq } }, entries, chars)
    followed.learn(log, { epoch, seq, trimmed: 0 })
    bells.ring(log)
  }
  others.tell(committed)
}

async function read(
  parts: LogParts,
  log: LogName,
  { after, limit }: { readonly after: Position; readonly limit: number },
): Promise<readonly Entry[]> {
  const near = readNear(parts, log, { after, limit })
  if (near !== undefined) return near
  // Other numbers are no positions, and the database could not take them.
  if (!Number.isSafeInteger(after.seq)) assertKnown(log, after, undefined)
  const page = await readPage(parts.queries, log, { after, limit })
  assertKnown(log, after, page.head)
  if (page.head !== undefined) learn(parts, log, page.head)
  const isAtEnd = after.seq === page.head?.seq || limit === 0
  // There must be an entry here. Without its row, `entryFrom` throws.
  if (page.rows.length === 0 && !isAtEnd) return [entryFrom(undefined, { log, seq: after.seq + 1 })]
  return entriesOf(page, { log, after: after.seq })
}

/** Returns entries from memory, for followers: none at the end of the log, `undefined` when the database must be asked. */
function readNear(
  { followed, recent }: LogParts,
  log: LogName,
  { after, limit }: { readonly after: Position; readonly limit: number },
): readonly Entry[] | undefined {
  const known = followed.extentOf(log)
  if (known?.epoch !== after.epoch || !(after.seq >= known.trimmed)) return undefined
  return after.seq === known.seq ? [] : recent.read(log, after, limit)
}

/** Notes the head of a log for its followers. Returns its position. */
function learn({ followed }: LogParts, log: LogName, { epoch, seq, trimmed }: LogHead): Position {
  followed.learn(log, { epoch, seq, trimmed })
  return { epoch, seq }
}

/** A log was trimmed or removed: rings everywhere, and starts to delete its entries. */
function shorten({ followed, recent, bells, others, removals }: LogParts, log: LogName): void {
  followed.forget(log)
  recent.forget(log)
  bells.ring(log)
  others.ring([changedLine(log)])
  removals.start()
}
