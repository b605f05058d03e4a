import { DatabaseSync } from 'node:sqlite'
import { migrations } from '../migrations.ts'
import { SqlError } from '../sql.ts'
import { describeError } from './describe-error.ts'

/**
 * Opens the database file and migrates it. Locks it for this process, and makes commits survive a power loss. Throws the
 * `SqlError` `in-use` when another process has it open, and `newer-schema` when a newer program made it.
 */
export function openDatabase(path: string): DatabaseSync {
  assertSound(process.versions.sqlite)
  // Only a process that is just ending can hold the file, so a second is long enough.
  const database = new DatabaseSync(path, { timeout: 1_000 })
  try {
    database.exec('pragma locking_mode = exclusive')
    database.exec('pragma journal_mode = wal')
    database.exec('pragma synchronous = full')
    database.exec('pragma foreign_keys = on')
    migrate(database)
    return database
  } catch (error) {
    database.close()
    const { code } = describeError(error)
    if (code !== 'in-use') throw error
    throw new SqlError(
      'in-use',
      `The database ${path} is in use by another process. Stop that one, or set THROUGHLINE_DATA to another folder.`,
    )
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

function migrate(database: DatabaseSync): void {
  database.exec('begin immediate')
  database.exec(
    'create table if not exists migrations (version bigint primary key, name text not null, applied_at text not null)',
  )
  const applied = Number(
    database.prepare('select coalesce(max(version), 0) as version from migrations').get()?.['version'],
  )
  if (applied > migrations.length) {
    throw new SqlError(
      'newer-schema',
      `The database has schema version ${applied}, this program knows ${migrations.length}. Use the newer program that made it.`,
    )
  }
  for (const [index, { name, statements }] of migrations.entries()) {
    const version = index + 1
    if (version <= applied) continue
    for (const statement of statements) database.exec(statement)
    database
      .prepare('insert into migrations (version, name, applied_at) values (?, ?, ?)')
      .run(version, name, new Date().toISOString())
  }
  database.exec('commit')
}
