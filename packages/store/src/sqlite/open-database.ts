import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { migrations } from '../database/migrations.ts'
import { SqlError } from '../database/sql.ts'
import { describeError } from './describe-error.ts'
import { noteFileOfClosed, noteStoreFile } from './store-file.ts'

/**
 * Opens the database file and migrates it. Locks it for this process, and makes commits survive a power loss. A file that
 * is a copy of another one gives all logs a new generation: see `noteStoreFile`.
 *
 * Throws an `SqlError` whose message names the path and says what to do: `in-use` when another process has it open,
 * `newer-schema` when a newer program has changed it so that this one cannot use it, `damaged` when it is no sound database, `full` when the disk has no
 * room, `unwritable` when this user may not write it.
 */
export function openDatabase(path: string): DatabaseSync {
  return openWith(path, prepareDatabase)
}

/** Closes a database that `openDatabase` has opened, and notes that for `noteStoreFile`. */
export function closeDatabase(database: DatabaseSync): void {
  try {
    noteFileOfClosed(database)
    syncJournal(database.location())
  } catch {
    // The disk is full, or the folder is gone. The file that was noted at the start still counts.
  }
  database.close()
}

/** Opens the database file as it is, without migrating it. Locks it, and throws, as `openDatabase` does. */
export function openAsItIs(path: string): DatabaseSync {
  return openWith(path, lockDatabase)
}

function openWith(path: string, prepare: (database: DatabaseSync) => void): DatabaseSync {
  assertSound(process.versions.sqlite)
  try {
    // Only a process that is just ending can hold the file, so a second is long enough.
    const database = new DatabaseSync(path, { timeout: 1_000 })
    try {
      prepare(database)
      return database
    } catch (error) {
      database.close()
      throw error
    }
  } catch (error) {
    const { code, message } = describeError(error)
    throw new SqlError(code, failureOf(path, code, message))
  }
}

function prepareDatabase(database: DatabaseSync): void {
  const pageCount = lockDatabase(database)
  // Later it has no effect. A file of an earlier version stays as it is until it is compacted.
  if (pageCount === 0) database.exec('pragma auto_vacuum = incremental')
  database.exec('pragma journal_mode = wal')
  database.exec('pragma synchronous = full')
  database.exec('pragma foreign_keys = on')
  migrate(database)
  noteStoreFile(database)
  syncJournal(database.location())
}

/**
 * Syncs the -wal file, and the names beside it. A process that was killed between the write and the sync of a commit has
 * left that commit there, and from now on it counts. Whoever reads it must find it again after a power loss.
 */
function syncJournal(path: string | null): void {
  if (path === null || !existsSync(`${path}-wal`)) return
  syncNow(`${path}-wal`, 'r+')
  // Windows cannot open folders, and does not need this.
  if (process.platform !== 'win32') syncNow(dirname(path), 'r')
}

function syncNow(path: string, flags: 'r' | 'r+'): void {
  const handle = openSync(path, flags)
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Keeps other processes out from the first read on, which is here. Returns how many pages the file has. */
function lockDatabase(database: DatabaseSync): number {
  database.exec('pragma locking_mode = exclusive')
  return Number(database.prepare('pragma page_count').get()?.['page_count'])
}

/** Returns what is wrong with a database file that cannot be opened, and what to do. */
function failureOf(path: string, code: SqlError['code'], reason: string): string {
  switch (code) {
    case 'in-use':
      return `The database ${path} is in use by another process. Stop that one, or set THROUGHLINE_DATA to another folder.`
    case 'damaged':
      return `The database ${path} cannot be opened: ${reason}. Restore it from a backup, or use another folder.`
    case 'full':
      return `The database ${path} cannot be opened, because its disk is full. Make room, or use a folder on another disk.`
    case 'unwritable':
      return `The database ${path} cannot be written: ${reason}. Give this user the right to write there, or use another folder.`
    case 'newer-schema':
      return reason
    default:
      return `The database ${path} cannot be opened: ${reason}.`
  }
}

/** Throws for versions of SQLite that can corrupt a database in WAL mode. */
function assertSound(version = '0'): void {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  if (major * 1e6 + minor * 1e3 + patch >= 3_051_003) return
  throw new SqlError(
    'failed',
    `This Node has SQLite ${version}; 3.51.3 or newer is needed. Use Node 24.15 or newer.`,
  )
}

/**
 * Applies the migrations that are missing, all in one transaction. A newer program may have migrated further. Then this one can
 * go on, unless one of those migrations says that older programs cannot, as on Postgres.
 */
function migrate(database: DatabaseSync): void {
  database.exec('begin immediate')
  database.exec(createTable)
  const { version: applied, breaking } = appliedTo(database)
  if (breaking > migrations.length) {
    throw new SqlError(
      'newer-schema',
      `The database has schema version ${breaking}, which programs that know only ${migrations.length} cannot use. Use the newer program that made it.`,
    )
  }
  for (const [index, { name, statements, breaks }] of migrations.entries()) {
    const version = index + 1
    if (version <= applied) continue
    for (const statement of statements) database.exec(statement)
    database
      .prepare('insert into migrations (version, name, applied_at, breaks) values (?, ?, ?, ?)')
      .run(version, name, new Date().toISOString(), breaks === true ? 1 : 0)
  }
  database.exec('commit')
}

const createTable = `create table if not exists migrations (
  version bigint primary key, name text not null, applied_at text not null, breaks bigint not null default 0)`

interface Applied {
  readonly version: number
  /** The last migration after which older programs cannot use the tables. */
  readonly breaking: number
}

function appliedTo(database: DatabaseSync): Applied {
  const number = (sql: string) => Number(database.prepare(sql).get()?.['number'])
  const version = number('select coalesce(max(version), 0) as number from migrations')
  if (number("select count(*) as number from pragma_table_info('migrations') where name = 'breaks'") === 0) {
    database.exec('alter table migrations add column breaks bigint not null default 0')
    // The program that wrote it could not yet say what it breaks.
    return { version, breaking: version }
  }
  const breaking = number('select coalesce(max(version), 0) as number from migrations where breaks = 1')
  return { version, breaking }
}
