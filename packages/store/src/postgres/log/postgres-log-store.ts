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
import { logOfEpoch } from '@throughline/protocol/internal'
import { inTime } from '../../database/patience.ts'
import { SqlError } from '../../database/sql.ts'
import type { Notifications } from '../notifications/notifications.ts'
import {
  createPatientQueries,
  type PatienceOptions,
  type PatientQueries,
  type QueryPool,
} from '../patient-queries.ts'
import { appendSqlOn } from './append-query.ts'
import { AppendQueue, type AppendQueueOptions, type Committed, KnownEnds } from './append-queue.ts'
import { assertHeld, commitAppends } from './commit-appends.ts'
import { FollowedLogs } from './followed-logs.ts'
import { HearOthers } from './hear-others.ts'
import { findOriginSql, type OriginSql } from './log-origin.ts'
import { LogRemovals } from './log-removals.ts'
import { acquireQuery, adoptQuery, openQuery, removeQuery, trimQuery } from './log-row-queries.ts'
import {
  entriesOf,
  entryFrom,
  type LoadHead,
  type LogHead,
  loadHeadsTogether,
  readHeads,
  readLogPage,
} from './read-logs.ts'
import { RingOthers } from './ring-others.ts'

/** What the log in Postgres runs on. It closes neither of them. */
export interface PostgresConnections {
  readonly pool: QueryPool
  readonly notifications: Notifications
}

/** How the log uses Postgres. */
export interface PostgresLogOptions extends PatienceOptions, AppendQueueOptions {
  /**
   * Whether a log gets a new generation when it is first used after a failover. Turn it off if every standby is synchronous:
   * then a failover loses nothing. A restored database gets one in any case. Default: true, if the server says its timeline.
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

/** How long the last entries of a run stay in memory after its end, in milliseconds: its viewers read them then. */
const lingerMs = 1_000

interface LogParts {
  readonly queries: PatientQueries
  readonly origin: OriginSql
  readonly appendSql: string
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
 * Makes the log on the tables of postgres-log-tables.ts. Any number of processes can use it at once: a lease is a number in the
 * row of its log, which every append checks. Other processes hear of appends by notifications.
 */
export async function createPostgresLogStore(
  connections: PostgresConnections,
  options: PostgresLogOptions = {},
): Promise<PostgresLogStore> {
  const queries = createPatientQueries(connections.pool, options)
  const { isTimelineTracked = true } = options
  const origin = await findOriginSql(queries, { isTimelineTracked })
  await queries.run(adoptQuery(origin))
  const parts = createParts({ ...connections, queries, origin }, options)
  const { recent, bells, followed, removals } = parts
  const hearing = new HearOthers({ ...parts, notifications: connections.notifications }, options.pollMs)
  await hearing.open()
  removals.start()
  return {
    acquire: log => inTime(acquire(parts, log), late),
    append: (lease, after, drafts) => append(parts, lease, { after, sealed: sealDrafts(lease.log, drafts) }),
    release({ log }) {
      setTimeout(() => recent.forget(log), lingerMs).unref()
    },
    read: (log, after, limit) => inTime(read(parts, log, { after, limit }), late),
    open: log => inTime(open(parts, log), late),
    onAppend(log, ring) {
      const ends = [bells.listen(log, ring), recent.watch(log), followed.follow(log)]
      return () => {
        for (const end of ends) end()
      }
    },
    async trim(log, upTo) {
      await queries.runLocking(trimQuery(log, upTo))
      shorten(parts, log)
    },
    async remove(log) {
      await queries.runLocking(removeQuery(log))
      shorten(parts, log)
    },
    close() {
      queries.close()
      hearing.close()
    },
  }
}

/** The error for a caller whose time is over. Statements of the log wait longer than a person can. */
function late(): SqlError {
  return new SqlError('unreachable', 'Postgres did not respond in time.')
}

function createParts(
  {
    queries,
    notifications,
    origin,
  }: Pick<LogParts, 'queries' | 'origin'> & Pick<PostgresConnections, 'notifications'>,
  options: PostgresLogOptions,
): LogParts {
  const { now = Date.now } = options
  const parts = {
    queries,
    origin,
    appendSql: appendSqlOn(origin),
    loadHead: loadHeadsTogether(logs => readHeads(queries, logs, origin)),
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
    const [row] = await parts.queries.runLocking(acquireQuery(log, parts.origin))
    // A second query: the first one may have waited for an append of the last holder, which it cannot see.
    const head = await parts.loadHead(log)
    if (head === undefined || logOfEpoch(head.epoch) !== row?.['epoch']) continue
    const lease = { log, fence: Number(row['fence']), head: learn(parts, log, head) }
    parts.ends.learn(lease, lease.head.seq)
    return lease
  }
}

async function open(parts: LogParts, log: LogName): Promise<Position> {
  for (;;) {
    const head = await parts.loadHead(log)
    if (head?.isFromHere) return learn(parts, log, head)
    await parts.queries.runLocking(openQuery(log, parts.origin))
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
    // The log got a new generation. Its followers must ask the database, which does not know their positions any more.
    if (followed.extentOf(log)?.epoch !== epoch) followed.forget(log)
    recent.add({ log, head: { epoch, seq } }, entries, chars)
    followed.learn(log, { epoch, seq, trimmed: 0 })
    bells.ring(log)
  }
  others.publish(committed)
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
  const page = await readLogPage(parts.queries, log, { after, limit })
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
  others.announce(log)
  removals.start()
}
