import type { DatabaseSync } from 'node:sqlite'

/** A table that is copied row by row. */
export interface TableFacts {
  readonly name: string
  readonly columns: readonly string[]
  /** The columns of the primary key. Rows are read in its order. */
  readonly key: readonly string[]
}

/** The tables of SQLite that are not copied row by row, and why. All others are. */
export const tablesLeftOut: ReadonlyMap<string, string> = new Map([
  ['migrations', 'the target has migrations of its own'],
  ['logs', 'copied by `sourceLogs`: the tables of the log differ'],
  ['log_entries', 'copied by `sourceEntries`'],
  ['log_tail', 'copied by `sourceEntries`'],
  ['log_removals', 'entries that are waiting to be deleted are not copied'],
  ['unsaved_files', 'their bytes are not copied'],
  ['nodes', 'no process of the source is alive'],
  ['job_leases', 'no process of the source is alive'],
  ['shared_keys', 'the target makes keys of its own'],
  ['store_origin', 'the target notes its own, and `sourceLogs` copies the generation'],
])

/** Returns the tables that are copied row by row. A table comes after those that its foreign keys name. */
export function tableFacts(database: DatabaseSync): readonly TableFacts[] {
  const names = database
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%' order by name")
    .all()
    .map(row => String(row['name']))
    .filter(name => !tablesLeftOut.has(name))
  const waiting = new Map(names.map(name => [name, parentsOf(database, name)]))
  const ordered: string[] = []
  while (waiting.size > 0) {
    const free = [...waiting].filter(([, parents]) => parents.every(parent => !waiting.has(parent)))
    if (free.length === 0) throw new TypeError('The foreign keys of the tables form a circle.')
    for (const [name] of free) {
      waiting.delete(name)
      ordered.push(name)
    }
  }
  return ordered.map(name => factsOf(database, name))
}

function parentsOf(database: DatabaseSync, name: string): readonly string[] {
  const keys = database.prepare(`select "table" as parent from pragma_foreign_key_list('${name}')`).all()
  return keys.map(row => String(row['parent'])).filter(parent => parent !== name)
}

function factsOf(database: DatabaseSync, name: string): TableFacts {
  const columns = database.prepare(`select name, pk from pragma_table_info('${name}') order by cid`).all()
  const key = columns
    .filter(row => Number(row['pk']) > 0)
    .toSorted((a, b) => Number(a['pk']) - Number(b['pk']))
  const nameOf = (row: (typeof columns)[number]) => String(row['name'])
  return { name, columns: columns.map(nameOf), key: key.map(nameOf) }
}

/** The entries of all logs, as they are in Postgres. */
export const entryTable: TableFacts = {
  name: 'log_entries',
  columns: ['epoch', 'seq', 'at', 'run_id', 'message_id', 'chunk'],
  key: ['epoch', 'seq'],
}

/** The logs, as they are in Postgres. The end of a log there is its last entry. */
export const logTable: TableFacts = {
  name: 'logs',
  columns: ['name', 'epoch', 'fence', 'trimmed', 'generation'],
  key: ['name'],
}
