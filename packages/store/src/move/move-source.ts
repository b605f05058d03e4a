import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { databaseName } from '../database-name.ts'
import { migrations } from '../migrations.ts'
import type { SqlRow } from '../sql.ts'
import { openAsItIs } from '../sqlite/open-database.ts'
import { MoveError } from './move-error.ts'
import { sourceEntries, sourceLogs } from './source-logs.ts'
import { entryTable, logTable, type TableFacts, tableFacts } from './table-facts.ts'

/** The data of a server that does not run. It is only read. */
export interface MoveSource extends Disposable {
  /** The tables in the order in which they can be written. */
  readonly tables: readonly TableFacts[]
  /** Yields the rows of a table in the order of its key. They are read one by one, so there can be any number of them. */
  rows(table: TableFacts): Iterable<SqlRow>
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
    const tables = [...tableFacts(database), logTable, entryTable]
    return {
      tables,
      rows: table => rowsOf(database, table),
      [Symbol.dispose]: () => database.close(),
    }
  } catch (error) {
    database.close()
    throw error
  }
}

function rowsOf(database: DatabaseSync, table: TableFacts): Iterable<SqlRow> {
  if (table === logTable) return sourceLogs(database)
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
