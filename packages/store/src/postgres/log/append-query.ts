import type { Lease, SealedDraft } from '@throughline/log'
import { generationOf, logOfEpoch } from '@throughline/protocol/internal'
import type { SqlRow } from '../../database/sql.ts'
import { appendMark, type PreparedQuery } from '../patient-queries.ts'
import { durableSql } from './durable-sql.ts'
import { hereSql, isFromHereSql, type OriginSql } from './log-origin.ts'

/** Drafts for one log that are committed together. */
export interface LogAppend {
  readonly lease: Lease
  /** The number of the last entry before them. */
  readonly after: number
  /** Whether this process has itself read or committed that the log ends there, under this lease. */
  readonly isEndKnown: boolean
  /** When they were written, in milliseconds since 1970. */
  readonly at: number
  /** At least one. */
  readonly sealed: readonly SealedDraft[]
}

/**
 * Appends to many logs, in one statement of `appendSql`. `writtenBy` reads its rows. If one of the numbers is taken
 * already, the whole statement fails with a unique violation.
 */
export function appendQuery(appends: readonly LogAppend[], appendSql: string): PreparedQuery {
  const values = [
    ...rowsOf(appends),
    textArray(appends.map(epochOf)),
    bigintArray(appends.map(({ lease }) => lease.fence)),
    bigintArray(appends.map(({ after }) => after)),
    textArray(appends.map(({ lease, isEndKnown }) => (isEndKnown ? generationOf(lease.head.epoch) : null))),
  ]
  return { name: 'log-append', text: appendSql, values }
}

/**
 * Returns the appends that are in their logs now, each with the generation of its log. An append is missing when its
 * lease is not the newest one, when its log has no entry with the number `after`, or when its log needs a new generation.
 */
export function writtenBy(
  appends: readonly LogAppend[],
  rows: readonly SqlRow[],
): readonly (readonly [LogAppend, string])[] {
  return rows.flatMap(({ generation, places }) => {
    const written = places === null ? appends : appendsAt(String(places), appends)
    return written.map(append => [append, String(generation)] as const)
  })
}

/** `places` are numbers from 1, with blanks between them. */
function appendsAt(places: string, appends: readonly LogAppend[]): readonly LogAppend[] {
  return places.split(' ').flatMap(place => appends[Number(place) - 1] ?? [])
}

/** Counts per epoch how many of the entries are in the log, exactly as they were to be written. */
export function readBackQuery(appends: readonly LogAppend[]): PreparedQuery {
  return { name: 'log-read-back', text: readBackSql, values: rowsOf(appends) }
}

/** Returns the epoch that the rows of the log of an append have. */
export function epochOf({ lease }: LogAppend): string {
  return logOfEpoch(lease.head.epoch)
}

function rowsOf(appends: readonly LogAppend[]): readonly unknown[] {
  const epochs: string[] = []
  const numbers: number[] = []
  const times: number[] = []
  const runIds: string[] = []
  const messageIds: string[] = []
  const chunks: string[] = []
  for (const append of appends) {
    const epoch = epochOf(append)
    for (const [index, { runId, messageId, json }] of append.sealed.entries()) {
      epochs.push(epoch)
      numbers.push(append.after + 1 + index)
      times.push(append.at)
      runIds.push(runId)
      messageIds.push(messageId)
      chunks.push(json)
    }
  }
  return [
    textArray(epochs),
    bigintArray(numbers),
    bigintArray(times),
    textArray(runIds),
    textArray(messageIds),
    textArray(chunks),
  ]
}

const draftsSql = `unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[])
  d(epoch, seq, at, run_id, message_id, chunk)`

// `for share` makes whoever takes the lease wait until this statement has committed. Without it, an append could be
// committed after somebody else has taken the lease. The order prevents deadlocks.
//
// A log whose rows have their origin elsewhere is left out: it needs a new generation first.
//
// The entry `after` must be there. (Whether another one follows it, the primary key checks.) There are three cases:
//
// | the log                                                          | the entry `after`                                |
// |------------------------------------------------------------------|--------------------------------------------------|
// | was trimmed up to `after`                                        | is not needed                                    |
// | has the generation and the timeline in which this process read   | is there: a server that waits for its disk loses |
// | or committed that end, and the server waits for its disk         | entries only with a new generation or timeline   |
// | any other                                                        | is looked up, for half of what an insert costs   |
//
// Almost always, all logs have the same generation, and all appends are written. Then `places` is null, because it costs
// much to list them.
/** The statement of `appendQuery`. */
export function appendSqlOn(origin: OriginSql): string {
  return `${appendMark} with ${hereSql(origin)},
  ${durableSql},
  ok as (
    select l.epoch, l.generation, i.place from here cross join durable cross join logs l
    join unnest($7::text[], $8::bigint[], $9::bigint[], $10::text[])
      with ordinality i(epoch, fence, after, known_generation, place)
      on l.epoch = i.epoch and l.fence = i.fence
    where ${isFromHereSql({ log: 'l', here: 'here' })} and (i.after = l.trimmed
      or (is_durable and i.known_generation = l.generation and l.timeline = nullif(here.timeline, ''))
      or exists (select from log_entries e where e.epoch = i.epoch and e.seq = i.after))
    order by l.epoch for share of l),
  inserted as (
    insert into log_entries (epoch, seq, at, run_id, message_id, chunk)
    select d.epoch, d.seq, d.at, d.run_id, d.message_id, d.chunk from ${draftsSql} join ok on ok.epoch = d.epoch)
  select generation, case when count(*) < cardinality($7::text[])
    then (select string_agg(place::text, ' ') from ok same where same.generation = ok.generation) end as places
  from ok group by generation`
}

const readBackSql = `select d.epoch, count(*) as count, coalesce(max(l.generation), '') as generation
  from ${draftsSql}
  join log_entries e on e.epoch = d.epoch and e.seq = d.seq and e.at = d.at
    and e.run_id = d.run_id and e.message_id = d.message_id and e.chunk = d.chunk
  left join logs l on l.epoch = d.epoch
  group by d.epoch`

// Arrays as Postgres itself writes them in its binary format. `pg` would write them as text, with every quote of the JSON
// in them escaped, and the server would have to read that again: half of what an append costs this process.

const textType = 25
const bigintType = 20
const headerBytes = 20

/** Returns texts as a parameter of the type `text[]`. */
export function textArray(values: readonly (string | null)[]): Buffer {
  let bytes = headerBytes
  for (const value of values) bytes += 4 + (value === null ? 0 : Buffer.byteLength(value))
  const array = Buffer.allocUnsafe(bytes)
  let end = writeHeader(array, { type: textType, length: values.length, hasNull: values.includes(null) })
  for (const value of values) {
    const size = value === null ? -1 : array.write(value, end + 4)
    array.writeInt32BE(size, end)
    end += 4 + Math.max(0, size)
  }
  return array
}

/** Returns safe integers as a parameter of the type `bigint[]`. */
export function bigintArray(values: readonly number[]): Buffer {
  const array = Buffer.allocUnsafe(headerBytes + values.length * 12)
  let end = writeHeader(array, { type: bigintType, length: values.length, hasNull: false })
  for (const value of values) {
    array.writeInt32BE(8, end)
    array.writeInt32BE(Math.floor(value / 2 ** 32), end + 4)
    array.writeUInt32BE(value >>> 0, end + 8)
    end += 12
  }
  return array
}

/** Writes the header of an array with one dimension, whose first element has the number 1. Returns where it ends. */
function writeHeader(
  array: Buffer,
  { type, length, hasNull }: { readonly type: number; readonly length: number; readonly hasNull: boolean },
): number {
  const fields = [1, hasNull ? 1 : 0, type, length, 1]
  for (const [index, field] of fields.entries()) array.writeInt32BE(field, index * 4)
  return headerBytes
}
