import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { migrations } from '../database/migrations.ts'
import type { SqlRow } from '../database/sql.ts'
import { databaseName } from '../disk/private-folder.ts'
import type { FileBytes } from '../file-bytes/file-bytes.ts'
import { folderBytes } from '../file-bytes/folder-bytes.ts'
import { postgresBytes } from '../file-bytes/postgres-bytes.ts'
import { decodeEntries, isIntact } from '../sqlite/entry-lines.ts'
import { openAsItIs } from '../sqlite/open-database.ts'
import { forgetStoreFile, nextGeneration } from '../sqlite/store-file.ts'
import {
  compareFileBytes,
  compareRows,
  copyFileBytes,
  copyRows,
  type MovedFiles,
  type MovedTable,
} from './copy-data.ts'
import { MoveError } from './move-error.ts'
import { type MoveTarget, openTarget } from './move-target.ts'
import { entryTable, logTable, type TableFacts, tableFacts } from './table-facts.ts'

/** From where to where data is moved. */
export interface MoveOptions {
  /** The data folder of a server that does not run. */
  readonly folder: string
  /** The URL of a Postgres database without data. */
  readonly url: string
  /** The bucket of the files, if there is one. Files in the folder are then copied there. Default: into the database. */
  readonly bucket?: FileBytes | undefined
  /** Called with what has been done. */
  readonly onProgress?: (progress: MoveProgress) => void
  readonly now?: () => Date
}

/** What has been done. */
export type MoveProgress =
  /** An earlier attempt was cut off. What it had written was deleted. */
  | { readonly type: 'restarted' }
  | { readonly type: 'copied' | 'compared'; readonly table: string; readonly rows: number }
  | { readonly type: 'files-copied' }

/** What was moved. Everything was compared. */
export interface MovedStore {
  readonly tables: readonly MovedTable[]
  readonly files: MovedFiles
}

/**
 * Copies the data of a server from its folder to a Postgres database, and compares every row, every entry and every file.
 * Epochs and numbers of entries stay the same, so the positions of viewers stay valid. The folder is only read; at the
 * end a file beside its database is deleted, so that positions of the database are not valid in it any more. If it is
 * interrupted, the next call deletes what was written and begins anew. Works in slices: one file, or about a megabyte of
 * rows, is in memory at a time.
 *
 * Throws a `MoveError` or an `SqlError`, whose message says what to do.
 */
export async function moveStore(options: MoveOptions): Promise<MovedStore> {
  const { folder, url, onProgress = () => undefined, now = () => new Date() } = options
  using source = openSource(folder)
  await using target = await openTarget(url, { tables: source.tables, folder, at: now().toISOString() })
  if (target.isRestarted) onProgress({ type: 'restarted' })
  for (const table of source.tables) {
    const rows = await copyRows(target, table, source.rows(table))
    await target.analyze(table)
    onProgress({ type: 'copied', table: table.name, rows })
  }
  const files = {
    from: folderBytes(join(folder, 'files')),
    to: options.bucket ?? postgresBytes(target.sql),
  }
  await copyFileBytes(files, fileRows(source))
  onProgress({ type: 'files-copied' })
  const tables = await compareAll(source, target, onProgress)
  const moved = { tables, files: await compareFileBytes(files, fileRows(source)) }
  source.leave()
  await target.finish(now().toISOString())
  return moved
}

async function compareAll(
  source: MoveSource,
  target: MoveTarget,
  onProgress: (progress: MoveProgress) => void,
): Promise<readonly MovedTable[]> {
  const compared: MovedTable[] = []
  for (const table of source.tables) {
    const moved = await compareRows(target, table, source.rows(table))
    compared.push(moved)
    onProgress({ type: 'compared', table: table.name, rows: moved.rows })
  }
  return compared
}

function fileRows(source: MoveSource) {
  const files = source.tables.find(({ name }) => name === 'files')
  if (files === undefined) throw new TypeError('There is no table of files.')
  return source.rows(files)
}

/** The data of a server that does not run. It is only read. */
interface MoveSource extends Disposable {
  /** The tables in the order in which they can be written. */
  readonly tables: readonly TableFacts[]
  /** Yields the rows of a table in the order of its key. They are read one by one, so there can be any number of them. */
  rows(table: TableFacts): Iterable<SqlRow>
  /** Notes that the data goes on elsewhere: if a server starts here all the same, it gives all logs a new generation. */
  leave(): void
}

/**
 * Opens the data in a folder, and keeps all other processes away from it. Throws a `MoveError` when there is no data or
 * when it has the tables of another version, and an `SqlError` as `openStore` does: `in-use` when a server runs on it.
 */
export function openSource(folder: string): MoveSource {
  const path = join(folder, databaseName)
  if (!existsSync(path))
    throw new MoveError(
      'source',
      `There is no data in ${folder}. Name the folder with --data, or with THROUGHLINE_DATA.`,
    )
  const database = openAsItIs(path)
  try {
    assertVersion(database, folder)
    // A folder that is a copy of another one must not go on with the positions of that one.
    const generation = nextGeneration(database)
    const tables = [...tableFacts(database), logTable, entryTable]
    return {
      tables,
      rows: table => (table === logTable ? sourceLogs(database, generation) : rowsOf(database, table)),
      leave: () => forgetStoreFile(database),
      [Symbol.dispose]: () => database.close(),
    }
  } catch (error) {
    database.close()
    throw error
  }
}

function rowsOf(database: DatabaseSync, table: TableFacts): Iterable<SqlRow> {
  if (table === entryTable) return sourceEntries(database)
  return database.prepare(`select * from ${table.name} order by ${table.key.join(', ')}`).iterate()
}

/** The data must not be changed, so it cannot be migrated here. */
function assertVersion(database: DatabaseSync, folder: string): void {
  const known = database.prepare("select 1 from sqlite_master where name = 'migrations'").get()
  const row = known && database.prepare('select max(version) as version from migrations').get()
  const version = Number(row?.['version'] ?? 0)
  if (version === migrations.length) return
  throw new MoveError(
    'source',
    version > migrations.length
      ? `The data in ${folder} was written by a newer version of Throughline. Use that one.`
      : `The data in ${folder} was written by an earlier version of Throughline. Run "throughline compact" first: it brings the data to this version.`,
  )
}

/** Yields the rows of all logs, in the order of their names. In Postgres each has the generation of its own. */
function sourceLogs(database: DatabaseSync, generation: string): Iterable<SqlRow> {
  return database
    .prepare('select name, epoch, fence, trimmed, ? as generation from logs order by name')
    .iterate(generation)
}

/**
 * Yields the entries of all logs in the order of epoch and number: those that were moved to `log_entries`, and then those
 * in the tail. Entries of removed logs, and those that were trimmed, are left out: they only wait to be deleted. Throws a
 * `MoveError` for an entry that is damaged or missing.
 */
function* sourceEntries(database: DatabaseSync): Generator<SqlRow, void, undefined> {
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
