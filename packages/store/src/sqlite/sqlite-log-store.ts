import {
  assertKnown,
  createBells,
  createRecentEntries,
  entriesFrom,
  fencedError,
  type LogStore,
  sealDrafts,
} from '@throughline/log'
import { createEpoch, type Entry, isChunk, isMessageId, isRunId, type Position } from '@throughline/protocol'
import { parseJson } from '@throughline/protocol/internal'
import { type Sql, SqlError, type SqlRow } from '../sql.ts'

/** The log in SQLite. The file is locked, so only this process writes, and its own bells reach every follower. */
export function createSqliteLogStore(sql: Sql, { now = Date.now } = {}): LogStore {
  const bells = createBells()
  const recent = createRecentEntries()

  return {
    async acquire(log) {
      const [[row] = []] = await sql.write([{ sql: acquireSql, sets: [[log, createEpoch()]] }])
      return { log, fence: Number(row?.['fence']), head: positionFrom(row) }
    },

    async append(lease, drafts) {
      const { log, fence, head } = lease
      const sealed = sealDrafts(log, drafts)
      const count = sealed.length
      const at = now()
      const [[row] = []] = await sql
        .write([
          { sql: advanceSql, sets: [[count, log, head.epoch, fence]], mustChange: true },
          {
            sql: insertSql,
            sets: sealed.map(({ runId, messageId, json }, index) => {
              return [count - 1 - index, at, runId, messageId, json, log]
            }),
          },
        ])
        .catch(error => {
          throw error instanceof SqlError && error.code === 'no-effect' ? fencedError(lease) : error
        })
      const entries = entriesFrom(sealed, { first: Number(row?.['seq']) - count + 1, at })
      recent.add(lease, entries)
      bells.ring(log)
      return entries
    },

    async read(log, after, limit) {
      const known = recent.read(log, after, limit)
      if (known !== undefined) return known
      const [[head] = [], rows = []] = await sql.read([
        { sql: headSql, sets: [[log]] },
        { sql: readSql, sets: [[after.epoch, after.seq, limit]] },
      ])
      assertKnown(log, after, head && positionFrom(head))
      const count = Math.min(limit, Number(head?.['seq']) - after.seq)
      return Array.from({ length: count }, (_, index) => entryFrom(rows[index], after.seq + 1 + index))
    },

    async open(log) {
      const [[known] = []] = await sql.read([{ sql: headSql, sets: [[log]] }])
      if (known !== undefined) return positionFrom(known)
      const [, [made] = []] = await sql.write([
        { sql: openSql, sets: [[log, createEpoch()]] },
        { sql: headSql, sets: [[log]] },
      ])
      return positionFrom(made)
    },

    onAppend(log, ring) {
      const unlisten = bells.listen(log, ring)
      const unwatch = recent.watch(log)
      return () => {
        unlisten()
        unwatch()
      }
    },

    async remove(log) {
      await sql.write([
        {
          sql: 'delete from log_entries where epoch = (select epoch from logs where name = ?)',
          sets: [[log]],
        },
        { sql: 'delete from logs where name = ?', sets: [[log]] },
      ])
      recent.forget(log)
      bells.ring(log)
    },
  }
}

const acquireSql = `insert into logs (name, epoch, fence, seq) values (?, ?, 1, 0)
  on conflict (name) do update set fence = fence + 1 returning epoch, fence, seq`
const openSql = `insert into logs (name, epoch, fence, seq) values (?, ?, 0, 0) on conflict (name) do nothing`
const advanceSql = 'update logs set seq = seq + ? where name = ? and epoch = ? and fence = ? returning seq'
const insertSql = `insert into log_entries (epoch, seq, at, run_id, message_id, chunk)
  select epoch, seq - ?, ?, ?, ?, ? from logs where name = ?`
const headSql = 'select epoch, seq from logs where name = ?'
const readSql = `select seq, at, run_id, message_id, chunk from log_entries
  where epoch = ? and seq > ? order by seq limit ?`

function positionFrom(row: SqlRow | undefined): Position {
  if (row === undefined)
    throw new SqlError('failed', 'The row of a log is missing. Restore the database from a backup.')
  return { epoch: String(row['epoch']), seq: Number(row['seq']) }
}

/** Returns the entry of a row. Throws when the row is damaged or missing, so that no reader gets a wrong entry or a gap. */
function entryFrom(row: SqlRow | undefined, seq: number): Entry {
  const runId = row?.['run_id']
  const messageId = row?.['message_id']
  const chunk = parseJson(String(row?.['chunk']))
  const at = row?.['at']
  if (
    row?.['seq'] !== seq ||
    typeof at !== 'number' ||
    !isRunId(runId) ||
    !isMessageId(messageId) ||
    !isChunk(chunk)
  ) {
    throw new SqlError('failed', `Entry ${seq} of the log is damaged. Restore the database from a backup.`)
  }
  return { seq, at, runId, messageId, chunk }
}
