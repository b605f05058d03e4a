import type { DatabaseSync } from 'node:sqlite'
import type { SqlRow } from '../sql.ts'
import { decodeEntries, isIntact } from '../sqlite/entry-lines.ts'
import { MoveError } from './move-error.ts'

/** Yields the rows of all logs, in the order of their names. */
export function sourceLogs(database: DatabaseSync): Iterable<SqlRow> {
  return database.prepare('select name, epoch, fence, trimmed from logs order by name').iterate()
}

/**
 * Yields the entries of all logs in the order of epoch and number: those that were moved to `log_entries`, and then those
 * in the tail. Entries of removed logs, and those that were trimmed, are left out: they only wait to be deleted. Throws a
 * `MoveError` for an entry that is damaged or missing.
 */
export function* sourceEntries(database: DatabaseSync): Generator<SqlRow, void, undefined> {
  const logs = database.prepare('select name, epoch, seq, trimmed from logs order by epoch').all()
  const inTail = tailOf(database)
  const settled = database.prepare(settledSql)
  const tailRow = database.prepare('select seq, at, body from log_tail where arrival = ?')
  for (const { name, epoch, seq, trimmed } of logs) {
    let last = Number(trimmed)
    const check = (row: SqlRow): SqlRow => {
      last += 1
      if (row['seq'] === last && isIntact(row)) return { epoch, ...row }
      throw damaged(String(name), last)
    }
    for (const row of settled.iterate(String(epoch), last, Number(seq))) yield check(row)
    if (last < Number(seq)) throw damaged(String(name), last + 1)
    for (const arrival of inTail.get(String(epoch)) ?? []) {
      const row = tailRow.get(arrival)
      if (row === undefined || Number(row['seq']) <= Number(seq)) continue
      const entries = decodeEntries(String(row['body']), { first: Number(row['seq']), at: Number(row['at']) })
      for (const entry of entries) if (Number(entry['seq']) > Number(trimmed)) yield check(entry)
    }
  }
}

const settledSql = `select seq, at, run_id, message_id, chunk, crc from log_entries
  where epoch = ? and seq > ? and seq <= ? order by seq`

/** Returns where the entries of each log are in the tail. A server keeps as much in memory, and moves the rest. */
function tailOf(database: DatabaseSync): ReadonlyMap<string, readonly number[]> {
  const rows = new Map<string, number[]>()
  for (const { epoch, arrival } of database
    .prepare('select epoch, arrival from log_tail order by epoch, seq')
    .iterate()) {
    const arrivals = rows.get(String(epoch)) ?? []
    arrivals.push(Number(arrival))
    rows.set(String(epoch), arrivals)
  }
  return rows
}

function damaged(log: string, seq: number): MoveError {
  return new MoveError(
    'source',
    `Entry ${seq} of the log ${log} is damaged or missing. Restore the data from a backup, or delete this chat, and try again.`,
  )
}
