import { constants, DatabaseSync, type StatementSync } from 'node:sqlite'
import {
  boundedRows,
  type Cell,
  type DatabaseQuery,
  type DatabaseRows,
  type QueryLimits,
} from './database.ts'

/** One statement to run on a file. */
export interface SqliteJob extends DatabaseQuery, QueryLimits {
  readonly path: string
  readonly isWrite: boolean
}

/** What became of it. A refusal says what SQLite has said. */
export type SqliteOutcome =
  | { readonly type: 'rows'; readonly rows: DatabaseRows }
  | { readonly type: 'written'; readonly changes: number }
  | { readonly type: 'refused'; readonly message: string }

/**
 * Runs one statement. What it may do is decided by SQLite, not by reading its text: the file is opened for reading only,
 * `query_only` refuses every write, and an authorizer refuses all that is no reading of this database: other files,
 * extensions, settings, transactions, temporary tables.
 */
export function runSqliteJob(job: SqliteJob): SqliteOutcome {
  try {
    return job.isWrite ? write(job) : read(job)
  } catch (error) {
    return { type: 'refused', message: error instanceof Error ? error.message : String(error) }
  }
}

function read(job: SqliteJob): SqliteOutcome {
  using database = open(job, reading)
  const statement = prepare(database, job)
  statement.setReadBigInts(true)
  statement.setReturnArrays(true)
  const columns = statement.columns().map(({ name }) => name)
  return { type: 'rows', rows: boundedRows(columns, rowsOf(statement, job), job) }
}

function write(job: SqliteJob): SqliteOutcome {
  using database = open(job, writing)
  return { type: 'written', changes: Number(prepare(database, job).run(...valuesOf(job)).changes) }
}

function open({ path, isWrite, timeoutMs }: SqliteJob, allowed: ReadonlySet<number>): DatabaseSync {
  const database = new DatabaseSync(path, { readOnly: !isWrite, timeout: timeoutMs, defensive: true })
  // Functions and views of the file itself must not reach what only the application may.
  database.exec(`pragma trusted_schema = off; pragma query_only = ${isWrite ? 'off' : 'on'}`)
  database.setAuthorizer((action, first) => {
    if (action === constants.SQLITE_PRAGMA) return isSchemaPragma(first) ? allow : deny
    if (action === constants.SQLITE_FUNCTION) return first === 'load_extension' ? deny : allow
    return allowed.has(action) ? allow : deny
  })
  return database
}

/** SQLite compiles the first statement and ignores the rest. Nobody should believe that the rest was done. */
function prepare(database: DatabaseSync, { sql }: SqliteJob): StatementSync {
  const statement = database.prepare(sql)
  if (sql.slice(statement.sourceSQL.length).trim() !== '')
    throw new TypeError('Only one statement is allowed, and nothing after it.')
  return statement
}

function* rowsOf(statement: StatementSync, job: SqliteJob): Generator<readonly unknown[], void> {
  const rows: Iterable<unknown> = statement.iterate(...valuesOf(job))
  for (const row of rows) if (Array.isArray(row)) yield row
}

function valuesOf({ params }: SqliteJob): readonly (string | number | null)[] {
  return params.map((value: Cell) => (typeof value === 'boolean' ? Number(value) : value))
}

const { SQLITE_OK: allow, SQLITE_DENY: deny } = constants

const reading: ReadonlySet<number> = new Set([
  constants.SQLITE_SELECT,
  constants.SQLITE_READ,
  constants.SQLITE_RECURSIVE,
])

const writing: ReadonlySet<number> = new Set([
  ...reading,
  constants.SQLITE_INSERT,
  constants.SQLITE_UPDATE,
  constants.SQLITE_DELETE,
])

/** The pragmas that only describe the database. Full-text tables read `data_version` themselves. */
const schemaPragmas = new Set([
  'table_list',
  'table_info',
  'table_xinfo',
  'foreign_key_list',
  'index_list',
  'index_info',
  'data_version',
])

function isSchemaPragma(name: string | null): boolean {
  return name !== null && schemaPragmas.has(name)
}
