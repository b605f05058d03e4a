import type { SqlRow, StatementRows } from '../database/sql.ts'
import { decodeEntries } from './entry-lines.ts'
import type { Prepare } from './statements.ts'
import { TailIndex, type TailRow } from './tail-index.ts'
import type { AppendWork, LogWork, ReadWork } from './thread-messages.ts'

/** A page of entries ends at this many characters of JSON. Others wait while a page is read and encoded. */
const maxPageChars = 128 * 1024

/**
 * The logs, in the thread of the database.
 *
 * New entries of all logs go into one table, `log_tail`, in the order in which they come. So a commit writes few pages,
 * however many logs it is about. Later the entries are moved to `log_entries`, where those of one log are together. The
 * column `logs.seq` says up to which number they were moved: later ones are in the tail. So every entry is read once.
 */
export class LogTables {
  readonly tail = new TailIndex()
  /** The logs whose entries are to be moved, because no more will come soon. */
  readonly toSettle = new Set<string>()
  /** Whether entries of removed or trimmed logs may be left to delete. */
  hasRemovals = true
  readonly #prepare: Prepare
  /** The end of the epoch in the positions of all logs. The rows of their entries do not have it. */
  readonly #generation: string
  #lastArrival = 0

  constructor(prepare: Prepare) {
    this.#prepare = prepare
    this.#generation = String(prepare(generationSql).get()?.['generation'] ?? '')
    this.#load()
  }

  /** Does the work, in the transaction that is open. `tail.commit` or `tail.rollback` must follow. */
  perform(work: LogWork): StatementRows {
    switch (work.type) {
      case 'append':
        this.#append(work)
        return []
      case 'acquire':
        return [this.#withTail(this.#prepare(acquireSql).all(work.log, work.newEpoch))]
      case 'open':
        this.#prepare(openSql).run(work.log, work.newEpoch)
        return [this.#find(work.log)]
      case 'find':
        return [this.#find(work.log)]
      case 'read-entries':
        return [this.#read(work)]
      case 'settle':
        this.toSettle.add(work.epoch)
        return []
      case 'trim':
        this.#trim(work.log, work.upTo)
        return []
      case 'remove':
        this.#remove(work.log)
        return []
    }
  }

  /**
   * Moves entries of a log from the tail to `log_entries`, whole appends, until there are `maxEntries` or more. Their
   * rows in the tail stay for now, but nobody reads them any more. Returns how many were moved. Not to be called twice
   * for one log in one transaction.
   */
  settle(epoch: string, maxEntries: number): number {
    const rows = this.tail.rowsOf(epoch)
    let count = 0
    let last = 0
    let taken = 0
    for (const row of rows) {
      if (count >= maxEntries) break
      for (const entry of this.#entriesOf(row)) this.#insert(epoch, entry)
      count += row.count
      last = row.first + row.count - 1
      taken += 1
    }
    if (taken === 0) return 0
    this.#prepare('update logs set seq = ? where epoch = ?').run(last, epoch)
    this.tail.settle(epoch, taken)
    return count
  }

  #append({ epochs, firsts, counts, ats, bodies }: AppendWork): void {
    const insert = this.#prepare(appendSql)
    for (const [index, epoch] of epochs.entries()) {
      const arrival = this.#lastArrival + 1
      const first = firsts[index] ?? 0
      const count = counts[index] ?? 0
      insert.run(arrival, epoch, first, count, ats[index] ?? 0, bodies[index] ?? '')
      this.#lastArrival = arrival
      this.tail.append(epoch, { arrival, first, count })
    }
  }

  #find(log: string): readonly SqlRow[] {
    return this.#withTail(this.#prepare(findSql).all(log))
  }

  /** Returns the row of a log with its generation, and with the number of its last entry, which may be in the tail. */
  #withTail(rows: readonly SqlRow[]): readonly SqlRow[] {
    return rows.map(row => ({
      ...row,
      generation: this.#generation,
      seq: Math.max(Number(row['seq']), this.tail.lastIn(String(row['epoch']))),
    }))
  }

  #read({ epoch, after, limit }: ReadWork): readonly SqlRow[] {
    const found: SqlRow[] = []
    let chars = 0
    for (const row of this.#entriesAfter(epoch, after)) {
      if (found.length === limit || chars > maxPageChars) break
      found.push(row)
      chars += String(row['chunk']).length
    }
    return found
  }

  *#entriesAfter(epoch: string, after: number): Generator<SqlRow> {
    const [firstInTail] = this.tail.rowsOf(epoch)
    if (firstInTail === undefined || after + 1 < firstInTail.first)
      yield* this.#prepare(readSql).iterate(epoch, after)
    for (const row of this.tail.rowsAfter(epoch, after))
      for (const entry of this.#entriesOf(row)) if (Number(entry['seq']) > after) yield entry
  }

  #entriesOf({ arrival, first }: TailRow): readonly SqlRow[] {
    const row = this.#prepare('select at, body from log_tail where arrival = ?').get(arrival)
    return row === undefined ? [] : decodeEntries(String(row['body']), { first, at: Number(row['at']) })
  }

  #insert(epoch: string, entry: SqlRow): void {
    const { seq, at, run_id, message_id, chunk, crc } = entry
    this.#prepare(insertSql).run(
      epoch,
      Number(seq),
      Number(at),
      String(run_id),
      String(message_id),
      String(chunk),
      Number(crc),
    )
  }

  #trim(log: string, upTo: number): void {
    const [row] = this.#find(log)
    if (row === undefined || upTo <= Number(row['trimmed'])) return
    const epoch = String(row['epoch'])
    const trimmed = Math.min(upTo, Number(row['seq']))
    this.settle(epoch, Number.POSITIVE_INFINITY)
    this.#prepare('update logs set trimmed = ? where name = ?').run(trimmed, log)
    this.#prepare(removeSql).run(epoch, trimmed)
    this.hasRemovals = true
  }

  #remove(log: string): void {
    const [row] = this.#find(log)
    if (row === undefined) return
    const epoch = String(row['epoch'])
    this.#prepare('delete from logs where name = ?').run(log)
    this.#prepare(removeSql).run(epoch, Number.MAX_SAFE_INTEGER)
    this.tail.forget(epoch)
    this.hasRemovals = true
  }

  /** Reads where the entries are that the process before this one left in the tail. */
  #load(): void {
    const settled = new Map<unknown, number>()
    for (const { epoch, seq } of this.#prepare(settledSql).iterate()) settled.set(epoch, Number(seq))
    for (const { arrival, epoch, seq, count } of this.#prepare(tailSql).iterate()) {
      const row = { arrival: Number(arrival), first: Number(seq), count: Number(count) }
      this.#lastArrival = row.arrival
      const settledSeq = settled.get(epoch)
      // The rows of removed logs, and of entries that were moved, are only waiting to be deleted.
      if (settledSeq !== undefined && row.first > settledSeq) this.tail.append(String(epoch), row)
    }
    this.tail.commit()
    this.tail.lastArrival = this.#lastArrival
  }
}

const generationSql = 'select generation from store_origin'
const acquireSql = `insert into logs (name, epoch, fence, seq) values (?, ?, 1, 0)
  on conflict (name) do update set fence = fence + 1 returning epoch, fence, seq, trimmed`
const openSql = 'insert into logs (name, epoch, fence, seq) values (?, ?, 0, 0) on conflict (name) do nothing'
const findSql = 'select epoch, fence, seq, trimmed from logs where name = ?'
const appendSql = 'insert into log_tail (arrival, epoch, seq, count, at, body) values (?, ?, ?, ?, ?, ?)'
// In a sound store the entry is never there already. In a damaged one, the first bytes at a position stay.
const insertSql = `insert into log_entries (epoch, seq, at, run_id, message_id, chunk, crc)
  values (?, ?, ?, ?, ?, ?, ?)
  on conflict (epoch, seq) do nothing`
const readSql = `select seq, at, run_id, message_id, chunk, crc from log_entries
  where epoch = ? and seq > ? order by seq`
const removeSql =
  'insert into log_removals (epoch, up_to) values (?, ?) on conflict (epoch) do update set up_to = excluded.up_to'
const settledSql = 'select epoch, seq from logs where epoch in (select epoch from log_tail)'
const tailSql = 'select arrival, epoch, seq, count from log_tail order by arrival'
