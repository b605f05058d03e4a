import type { ClientBase, QueryResult } from 'pg'
import { SqlError, type SqlRow, type SqlValue, type Statement, type StatementRows } from '../database/sql.ts'
import { isConnectionLost } from './postgres-error.ts'
import type { PostgresText } from './postgres-text.ts'

/** What a transaction runs on. The connection must be pipelined: a query is sent before the one before it has returned. */
export interface TransactionParts {
  readonly client: ClientBase
  readonly textOf: (statement: Statement) => PostgresText
  readonly commits: CommitSetting
}

/** What is known of the setting `synchronous_commit`. The last transaction that wrote has seen it. */
export interface CommitSetting {
  /** Whether the server may confirm commits that are not on its disk, and lose them when it crashes. */
  mayBeOff: boolean
}

/**
 * Runs statements in one transaction. Sends all of them at once, so the database never waits for this process while it
 * holds locks. Throws the error of the database, or the `SqlError` `unconfirmed` when the connection was lost and nobody
 * knows whether the transaction took effect.
 */
export async function runWrite(
  parts: TransactionParts,
  statements: readonly Statement[],
): Promise<StatementRows> {
  const calls = statements.flatMap(statement => callsOf(parts, statement))
  // The database runs one statement as a transaction by itself, which is durable unless the setting is off.
  const [only] = calls.length === 1 && !parts.commits.mayBeOff ? calls : []
  const work = only === undefined ? inTransaction(parts, calls) : oneAlone(parts, only)
  return rowsOf(parts, statements, await work)
}

/** Runs statements that only read, in one snapshot. Throws the error of the database. */
export async function runRead(
  parts: TransactionParts,
  statements: readonly Statement[],
): Promise<StatementRows> {
  const calls = statements.flatMap(statement => callsOf(parts, statement))
  const [only] = calls.length === 1 ? calls : []
  if (only !== undefined) return rowsOf(parts, statements, [await parts.client.query(only)])
  const results = [beginRead, ...calls, 'commit'].map(call => parts.client.query(call))
  return rowsOf(parts, statements, (await settled(results)).slice(1, -1))
}

// If the connection is cut in the middle of a transaction, the server may wait hours for the rest, and hold its locks.
const beginWrite = "begin; set local idle_in_transaction_session_timeout = '10s'"
const beginRead =
  "begin isolation level repeatable read read only; set local idle_in_transaction_session_timeout = '10s'"

/**
 * What was confirmed must survive a crash of the server. If `synchronous_commit` is off, this turns it on for the
 * transaction, and returns a row. A setting of the session would not do behind a pooler.
 */
const waitForDisk = {
  name: 'wait-for-disk',
  text: "select set_config('synchronous_commit', 'on', true) where current_setting('synchronous_commit') = 'off'",
}

type Call = { readonly name: string; readonly text: string; readonly values: SqlValue[] }
type Result = Pick<QueryResult<SqlRow>, 'rows'>

function callsOf({ textOf }: TransactionParts, statement: Statement): readonly Call[] {
  if (statement.mustChange === true && statement.sets.length !== 1)
    throw new TypeError('A statement with mustChange has exactly one set of parameters.')
  const { name, text } = textOf(statement)
  return statement.sets.map(set => ({ name, text, values: set.map(storable) }))
}

/** Postgres cannot store U+0000 in text. As with other characters that cannot be encoded, U+FFFD takes its place. */
function storable(value: SqlValue): SqlValue {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
}

async function oneAlone({ client }: TransactionParts, call: Call): Promise<readonly Result[]> {
  try {
    return [await client.query(call)]
  } catch (error) {
    throw isConnectionLost(error) ? unconfirmed() : error
  }
}

async function inTransaction(
  { client, commits }: TransactionParts,
  calls: readonly Call[],
): Promise<readonly Result[]> {
  const begun = client.query(beginWrite)
  const waiting = client.query<SqlRow>(waitForDisk)
  const results = calls.map(call => client.query(call))
  const committed = client.query('commit')
  const outcomes = await Promise.allSettled([begun, waiting, ...results, committed])
  // After a failed statement, the database undoes the transaction, and `commit` does not fail.
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') throw isConnectionLost(outcome.reason) ? unconfirmed() : outcome.reason
  }
  commits.mayBeOff = (await waiting).rows.length > 0
  return Promise.all(results)
}

/** Waits for all queries, so that the connection is free again. Throws the first error. */
async function settled(results: readonly Promise<Result>[]): Promise<readonly Result[]> {
  await Promise.allSettled(results)
  return Promise.all(results)
}

function unconfirmed(): SqlError {
  return new SqlError(
    'unconfirmed',
    'The connection to Postgres was lost before it confirmed a write. The write may have taken effect.',
  )
}

/** Joins the rows of all sets of a statement. */
function rowsOf(
  { textOf }: TransactionParts,
  statements: readonly Statement[],
  results: readonly Result[],
): StatementRows {
  let next = 0
  return statements.map(statement => {
    const own = results.slice(next, next + statement.sets.length)
    next += statement.sets.length
    return textOf(statement).hasRows ? own.flatMap(({ rows }) => rows) : []
  })
}
