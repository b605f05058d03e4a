import { dirname } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import type { LogChores } from './log-chores.ts'
import type { LogTables } from './log-tables.ts'

/** The logs of a database, and the chores on them that are not done yet. */
export interface OpenLogs {
  readonly logs: LogTables
  readonly chores: LogChores
}

/**
 * Makes the file of a database as small as it can be: does all chores, copies the whole file without its free pages, and
 * empties the -wal file. Afterwards the file can give pages back by itself. Takes long, and nothing else can run
 * meanwhile. If the process ends in the middle, nothing is lost.
 *
 * Needs room in the folder of the database for two copies of its contents.
 */
export function compactDatabase(database: DatabaseSync, { logs, chores }: OpenLogs): void {
  chores.settleAll()
  while (chores.isWaiting) doSlice(database, { logs, chores })
  // The first copy would else be in a folder for temporary files. There is often too little room.
  const folder = dirname(database.location() ?? '.')
  database.exec(`pragma temp_store_directory = '${folder.replaceAll("'", "''")}'`)
  try {
    // Takes effect when the file is copied.
    database.exec('pragma auto_vacuum = incremental')
    database.exec('vacuum')
    database.exec('pragma wal_checkpoint(truncate)')
  } finally {
    database.exec("pragma temp_store_directory = ''")
  }
}

function doSlice(database: DatabaseSync, { logs, chores }: OpenLogs): void {
  database.exec('begin immediate')
  try {
    chores.doSlice()
    database.exec('commit')
    logs.tail.commit()
  } catch (error) {
    if (database.isTransaction) database.exec('rollback')
    logs.tail.rollback()
    throw error
  }
}
