import type { LogExtent, LogName } from '@throughline/log'
import { type Entry, isChunk, isMessageId, isRunId, type Position } from '@throughline/protocol'
import { epochFrom, logOfEpoch, parseJson } from '@throughline/protocol/internal'
import { SqlError, type SqlRow } from '../../database/sql.ts'
import type { PatientQueries } from '../patient-queries.ts'
import { hereSql, isFromHereSql, type OriginSql } from './log-origin.ts'

/** A page ends when its JSON has this size. The entry that goes beyond is still part of it. */
const maxPageBytes = 1024 * 1024
/** The most that is read of one log when it has grown. A larger tail is read by the followers themselves, page by page. */
const maxTailBytes = 64 * 1024
const maxTailEntries = 256

/** What the database knows of a log. */
export interface LogHead extends LogExtent {
  readonly fence: number
  /** Whether the rows of the log have their origin in this database. Otherwise it needs a new generation. */
  readonly isFromHere: boolean
}

/** Returns the heads of logs by name. Logs that do not exist are missing. */
export async function readHeads(
  queries: PatientQueries,
  logs: readonly LogName[],
  origin: OriginSql,
): Promise<ReadonlyMap<LogName, LogHead>> {
  const rows = await queries.run({ name: 'log-heads', text: headsSql(origin), values: [logs] })
  const byName = new Map(rows.map(row => [row['name'], headFrom(row)]))
  return new Map(logs.flatMap(log => entryOf(log, byName.get(log))))
}

function entryOf<Value>(log: LogName, value: Value | undefined): readonly (readonly [LogName, Value])[] {
  return value === undefined ? [] : [[log, value]]
}

/** Returns the head of a log, or `undefined` when there is no such log. */
export type LoadHead = (log: LogName) => Promise<LogHead | undefined>

/**
 * Returns a function that loads heads in batches: one query for all heads that are asked for in one turn of the event
 * loop. The query always begins after the call, so it sees what was committed before the call.
 */
export function loadHeadsTogether(
  load: (logs: readonly LogName[]) => Promise<ReadonlyMap<LogName, LogHead>>,
): LoadHead {
  let batch:
    | { readonly logs: Set<LogName>; readonly heads: Promise<ReadonlyMap<LogName, LogHead>> }
    | undefined

  function nextBatch() {
    const logs = new Set<LogName>()
    const heads = new Promise(resolve => setImmediate(resolve)).then(() => {
      batch = undefined
      return load([...logs])
    })
    return { logs, heads }
  }

  return async log => {
    batch ??= nextBatch()
    batch.logs.add(log)
    return (await batch.heads).get(log)
  }
}

/** A part of a log, and the head that the log had at the same moment. */
export interface LogPage {
  readonly head: LogHead | undefined
  /** One row per entry. */
  readonly rows: readonly SqlRow[]
}

/** Reads the entries of a page that was read after an entry. Throws if one of them is damaged or missing. */
export function entriesOf(
  { rows }: LogPage,
  { log, after }: { log: LogName; after: number },
): readonly Entry[] {
  return rows.map((row, index) => entryFrom(row, { log, seq: after + 1 + index }))
}

/** Returns the head of a log and a page of its entries. Without a log of this epoch there are no entries. */
export async function readLogPage(
  queries: PatientQueries,
  log: LogName,
  { after, limit }: { readonly after: Position; readonly limit: number },
): Promise<LogPage> {
  const values = [log, logOfEpoch(after.epoch), after.seq, limit, maxPageBytes]
  const rows = await queries.run({ name: 'log-page', text: pageSql, values })
  return pageFrom(rows)
}

/** Returns what followed logs have grown by: by name, the head and the entries after the number, unless they are many. */
export async function readTails(
  queries: PatientQueries,
  ends: ReadonlyMap<LogName, Position>,
): Promise<ReadonlyMap<LogName, LogPage>> {
  const logs = [...ends.keys()]
  const epochs = [...ends.values()].map(({ epoch }) => logOfEpoch(epoch))
  const numbers = [...ends.values()].map(({ seq }) => seq)
  const values = [logs, epochs, numbers, maxTailEntries, maxTailBytes]
  const rows = await queries.run({ name: 'log-tails', text: tailsSql, values })
  const byName = Map.groupBy(rows, row => row['name'])
  return new Map(logs.map(log => [log, pageFrom(byName.get(log) ?? [])]))
}

/** Every row has the head, and one entry or none. */
function pageFrom(rows: readonly SqlRow[]): LogPage {
  return { head: headFrom(rows[0]), rows: rows.filter(row => row['seq'] !== null) }
}

/** Reads a row of `headSql`. Returns `undefined` for a row without a log. */
function headFrom(row: SqlRow | undefined): LogHead | undefined {
  if (row === undefined || row['epoch'] === null || row['epoch'] === undefined) return undefined
  return {
    epoch: epochFrom({ log: String(row['epoch']), generation: String(row['generation']) }),
    fence: Number(row['fence']),
    seq: Number(row['head']),
    trimmed: Number(row['trimmed']),
    isFromHere: row['is_from_here'] !== false,
  }
}

/** Reads the entry of a row. Throws when the row is damaged or missing, so that no reader gets a wrong entry or a gap. */
export function entryFrom(row: SqlRow | undefined, { log, seq }: { log: LogName; seq: number }): Entry {
  const runId = row?.['run_id']
  const messageId = row?.['message_id']
  const chunk = parseJson(String(row?.['chunk']))
  if (Number(row?.['seq']) !== seq || !isRunId(runId) || !isMessageId(messageId) || !isChunk(chunk)) {
    throw new SqlError(
      'damaged',
      `Entry ${seq} of log ${log} is damaged. Restore the database from a backup.`,
    )
  }
  return { seq, at: Number(row?.['at']), runId, messageId, chunk }
}

const headSql = `l.epoch, l.generation, l.fence, l.trimmed, greatest(l.trimmed, coalesce(
    (select e.seq from log_entries e where e.epoch = l.epoch order by e.seq desc limit 1), 0)) as head`

function headsSql(origin: OriginSql): string {
  return `with ${hereSql(origin)}
    select l.name, ${headSql}, ${isFromHereSql({ log: 'l', here: 'here' })} as is_from_here
    from logs l cross join here
    where l.name = any($1::text[])`
}

/** The size of a chunk is known without reading the chunk. So entries beyond the limit cost little. */
function entriesSql({ epoch, after, limit }: Readonly<Record<'epoch' | 'after' | 'limit', string>>): string {
  return `select page.*, sum(octet_length(chunk)) over (order by seq) as size_with
    from (select seq, at, run_id, message_id, chunk from log_entries e
      where e.epoch = ${epoch} and e.seq > ${after} order by e.seq limit ${limit}) page`
}

const pageSql = `select ${headSql}, p.seq, p.at, p.run_id, p.message_id, p.chunk
  from logs l left join lateral (${entriesSql({ epoch: '$2', after: '$3::bigint', limit: '$4::bigint' })}) p
    on l.epoch = $2 and p.size_with - octet_length(p.chunk) <= $5::bigint
  where l.name = $1 order by p.seq`

const tailsSql = `select i.name, ${headSql}, p.seq, p.at, p.run_id, p.message_id, p.chunk
  from unnest($1::text[], $2::text[], $3::bigint[]) i(name, epoch, after)
  left join logs l on l.name = i.name
  left join lateral (${entriesSql({ epoch: 'l.epoch', after: 'i.after', limit: '$4::bigint' })}) p
    on l.epoch = i.epoch and p.size_with <= $5::bigint
  order by i.name, p.seq`
