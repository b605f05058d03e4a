import type { LogName } from '@throughline/log'
import type { Entry, Position } from '@throughline/protocol'
import type { SqlRow } from '../sql.ts'
import { entryFrom, headFrom, type LogHead } from './log-rows.ts'
import { storedEpoch, timelineSql } from './log-timeline.ts'
import type { PatientQueries } from './patient-queries.ts'

/** A page ends when it has so many bytes of JSON. The entry that goes beyond is still part of it. */
const maxPageBytes = 1024 * 1024
/** So much of one log is read when it has grown. A larger tail is read by the followers themselves, page by page. */
const maxTailBytes = 64 * 1024
const maxTailEntries = 256

/** How the log is read. */
export interface ReadOptions {
  /** Whether heads say if the log is on the timeline of the server. */
  readonly isTimelineTracked: boolean
}

/** Returns the heads of logs by name. Logs that do not exist are missing. */
export async function readHeads(
  queries: PatientQueries,
  logs: readonly LogName[],
  { isTimelineTracked }: ReadOptions,
): Promise<ReadonlyMap<LogName, LogHead>> {
  const rows = await queries.run({ name: 'log-heads', text: headsSql, values: [logs, isTimelineTracked] })
  const byName = new Map(rows.map(row => [row['name'], headFrom(row)]))
  return new Map(logs.flatMap(log => entryOf(log, byName.get(log))))
}

function entryOf<Value>(log: LogName, value: Value | undefined): readonly (readonly [LogName, Value])[] {
  return value === undefined ? [] : [[log, value]]
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
export async function readPage(
  queries: PatientQueries,
  log: LogName,
  { after, limit }: { readonly after: Position; readonly limit: number },
): Promise<LogPage> {
  const values = [log, storedEpoch(after.epoch), after.seq, limit, maxPageBytes]
  const rows = await queries.run({ name: 'log-page', text: pageSql, values })
  return pageFrom(rows)
}

/** Returns what followed logs have grown by: by name, the head and the entries after the number, unless they are many. */
export async function readTails(
  queries: PatientQueries,
  ends: ReadonlyMap<LogName, Position>,
): Promise<ReadonlyMap<LogName, LogPage>> {
  const logs = [...ends.keys()]
  const epochs = [...ends.values()].map(({ epoch }) => storedEpoch(epoch))
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

const headSql = `l.epoch, l.generation, l.fence, l.trimmed, greatest(l.trimmed, coalesce(
    (select e.seq from log_entries e where e.epoch = l.epoch order by e.seq desc limit 1), 0)) as head`

const headsSql = `select l.name, ${headSql}, not $2::boolean or l.timeline = ${timelineSql('$2')} as is_on_timeline
  from logs l
  where l.name = any($1::text[])`

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
