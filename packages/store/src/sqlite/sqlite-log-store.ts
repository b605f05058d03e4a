import {
  assertKnown,
  assertWritable,
  type Bells,
  createBells,
  createRecentEntries,
  entriesFrom,
  type Lease,
  type LogExtent,
  type LogName,
  type LogStore,
  type RecentEntries,
  type SealedDraft,
  sealDrafts,
} from '@throughline/log'
import { createEpoch, type Entry, isChunk, isMessageId, isRunId, type Position } from '@throughline/protocol'
import { epochFrom, KeyedMutex, logOfEpoch, parseJson } from '@throughline/protocol/internal'
import { SqlError, type SqlRow, type StatementRows } from '../database/sql.ts'
import { encodeEntries, isIntact } from './entry-lines.ts'
import type { SqliteThread } from './open-sqlite.ts'
import type { LogWork } from './thread-messages.ts'

/** How long the last entries of a run stay in memory after its end, in milliseconds: its viewers read them then. */
const lingerMs = 1_000

interface LogParts {
  readonly thread: Pick<SqliteThread, 'append' | 'assertOpen' | 'readLog' | 'writeLog'>
  readonly heads: LogHeads
  readonly recent: RecentEntries
  readonly bells: Bells
  readonly now: () => number
}

/**
 * The log in SQLite. The file is locked, so only this process writes. So its own bells reach every follower, and the ends
 * and fences of logs can be kept in memory: see `LogHeads`.
 */
export function createSqliteLogStore(thread: LogParts['thread'], { now = Date.now } = {}): LogStore {
  const heads = new LogHeads(async log => headFrom(await thread.readLog({ type: 'find', log })))
  const parts: LogParts = { thread, heads, recent: createRecentEntries(), bells: createBells(), now }
  const { recent, bells } = parts
  return {
    acquire: log => heads.mutex.run(log, () => acquire(parts, log)),

    async append(lease, after, drafts) {
      const sealed = sealDrafts(lease.log, drafts)
      return heads.mutex.run(lease.log, () => append(parts, { lease, after, sealed }))
    },

    release({ log, head: { epoch } }) {
      // If it fails, the entries stay in the tail until it is quiet: see `GroupCommit`.
      thread.writeLog({ type: 'settle', epoch: logOfEpoch(epoch) }).catch(() => undefined)
      setTimeout(() => recent.forget(log), lingerMs).unref()
    },

    read: (log, after, limit) => read(parts, log, { after, limit }),

    async open(log) {
      thread.assertOpen()
      const known = heads.known(log)
      return known === undefined ? heads.mutex.run(log, () => open(parts, log)) : positionOf(known)
    },

    onAppend(log, ring) {
      const unlisten = bells.listen(log, ring)
      const unwatch = recent.watch(log)
      return () => {
        unlisten()
        unwatch()
      }
    },

    trim: (log, upTo) => heads.mutex.run(log, () => shorten(parts, { type: 'trim', log, upTo })),
    remove: log => heads.mutex.run(log, () => shorten(parts, { type: 'remove', log })),
  }
}

async function acquire({ thread, heads }: LogParts, log: LogName): Promise<Lease> {
  const head = madeHead(await thread.writeLog({ type: 'acquire', log, newEpoch: createEpoch() }))
  heads.keep(log, head)
  return { log, fence: head.fence, head: positionOf(head) }
}

async function open({ thread, heads }: LogParts, log: LogName): Promise<Position> {
  const known = heads.known(log) ?? (await heads.load(log))
  const head = known ?? madeHead(await thread.writeLog({ type: 'open', log, newEpoch: createEpoch() }))
  heads.keep(log, head)
  return positionOf(head)
}

interface Append {
  readonly lease: Lease
  readonly after: number
  readonly sealed: readonly SealedDraft[]
}

async function append(
  { thread, heads, recent, bells, now }: LogParts,
  { lease, after, sealed }: Append,
): Promise<readonly Entry[]> {
  thread.assertOpen()
  const { log } = lease
  const head = heads.known(log) ?? (await heads.load(log))
  assertWritable(lease, after, head)
  const count = sealed.length
  if (head === undefined || count === 0) return []
  heads.keep(log, head)
  const epoch = logOfEpoch(head.epoch)
  const at = now()
  const body = encodeEntries(sealed, { first: after + 1, at })
  await thread.append({ epoch, first: after + 1, count, at, body })
  const entries = entriesFrom(sealed, { first: after + 1, at })
  head.seq += count
  recent.add(lease, entries, body.length)
  bells.ring(log)
  return entries
}

async function read(
  { thread, heads, recent }: LogParts,
  log: LogName,
  { after, limit }: { readonly after: Position; readonly limit: number },
): Promise<readonly Entry[]> {
  thread.assertOpen()
  const { epoch, seq } = after
  const known = heads.known(log)
  if (known !== undefined) {
    assertKnown(log, after, known)
    const page = seq === known.seq ? [] : recent.read(log, after, limit)
    if (page !== undefined) return page
  }
  const [head, [rows = []]] = await Promise.all([
    heads.load(log),
    thread.readLog({ type: 'read-entries', epoch: logOfEpoch(epoch), after: seq, limit }),
  ])
  assertKnown(log, after, head)
  const isAtEnd = seq === head?.seq || limit === 0
  // There must be an entry here. Without its row, `entryFrom` throws.
  const page = rows.length === 0 && !isAtEnd ? [undefined] : rows
  return page.map((row, index) => entryFrom(row, seq + 1 + index))
}

/** Trims or removes a log. Its entries are deleted later. */
async function shorten(
  { thread, heads, recent, bells }: LogParts,
  work: Extract<LogWork, { readonly type: 'trim' | 'remove' }>,
): Promise<void> {
  await thread.writeLog(work)
  heads.forget(work.log)
  recent.forget(work.log)
  bells.ring(work.log)
}

function headFrom(rows: StatementRows): CachedHead | undefined {
  const row = rows[0]?.[0]
  if (row === undefined) return undefined
  return {
    epoch: epochFrom({ log: String(row['epoch']), generation: String(row['generation']) }),
    fence: Number(row['fence']),
    seq: Number(row['seq']),
    trimmed: Number(row['trimmed']),
  }
}

function madeHead(rows: StatementRows): CachedHead {
  const head = headFrom(rows)
  if (head !== undefined) return head
  throw new SqlError('damaged', 'The row of a log is missing. Restore the database from a backup.')
}

function positionOf({ epoch, seq }: LogExtent): Position {
  return { epoch, seq }
}

/** Returns the entry of a row. Throws when the row is damaged or missing, so that no reader gets a wrong entry or a gap. */
function entryFrom(row: SqlRow | undefined, seq: number): Entry {
  const runId = row?.['run_id']
  const messageId = row?.['message_id']
  const chunk = parseJson(String(row?.['chunk']))
  const at = row?.['at']
  if (
    row?.['seq'] !== seq ||
    !isIntact(row) ||
    typeof at !== 'number' ||
    !isRunId(runId) ||
    !isMessageId(messageId) ||
    !isChunk(chunk)
  ) {
    throw new SqlError('damaged', `Entry ${seq} of the log is damaged. Restore the database from a backup.`)
  }
  return { seq, at, runId, messageId, chunk }
}

/** What a writer must know of a log: where it ends, and who may write. */
interface CachedHead extends LogExtent {
  fence: number
  seq: number
}

/** At least this many logs are known. When there are twice as many, those that were not used last are forgotten. */
const keptCount = 10_000

/**
 * The heads of logs, in memory. This is sound because one process has the database locked: nobody else can append, trim or
 * take a lease. What is not known here is loaded.
 *
 * Work that changes a log runs in the mutex: one after the other per log, so that each sees the head that the one before it left.
 */
class LogHeads {
  readonly mutex = new KeyedMutex<LogName>()
  readonly #load: (log: LogName) => Promise<CachedHead | undefined>
  /** The logs that were used last, and those that were used before them. */
  #newer = new Map<LogName, CachedHead>()
  #older = new Map<LogName, CachedHead>()

  constructor(load: (log: LogName) => Promise<CachedHead | undefined>) {
    this.#load = load
  }

  /** Returns the head of a log, if it is known. */
  known(log: LogName): CachedHead | undefined {
    const newer = this.#newer.get(log)
    if (newer !== undefined) return newer
    const older = this.#older.get(log)
    if (older !== undefined) this.keep(log, older)
    return older
  }

  /** Reads the head of a log from the database. Only work in the mutex may keep it: otherwise it may be old by now. */
  load(log: LogName): Promise<CachedHead | undefined> {
    return this.#load(log)
  }

  keep(log: LogName, head: CachedHead): void {
    this.#newer.set(log, head)
    if (this.#newer.size <= keptCount) return
    this.#older = this.#newer
    this.#newer = new Map()
  }

  forget(log: LogName): void {
    this.#newer.delete(log)
    this.#older.delete(log)
  }
}
