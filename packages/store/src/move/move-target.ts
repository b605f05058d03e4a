import { confirmed } from '../database/confirmed-writes.ts'
import { type Sql, SqlError, type SqlRow } from '../database/sql.ts'
import { openPostgres, type PostgresSql } from '../postgres/open-postgres.ts'
import { MoveError } from './move-error.ts'
import { fingerprintSql, type RowValues } from './row-values.ts'
import type { TableFacts } from './table-facts.ts'

/** A database that data is moved into. */
export interface MoveTarget extends AsyncDisposable {
  readonly sql: Sql
  /** Whether the rows of an earlier attempt were deleted first. */
  readonly isRestarted: boolean
  /** Writes rows. Those that are there already stay as they are: comparing them comes later. */
  write(table: TableFacts, rows: readonly RowValues[]): Promise<void>
  /**
   * Lets the database look at a table that was filled. Otherwise it knows nothing of the new rows, and may check each
   * foreign key by reading all rows of a chat: 30,000 messages would take minutes.
   */
  analyze(table: TableFacts): Promise<void>
  /** Yields the fingerprints of all rows in the order of the key, in pages. */
  fingerprints(table: TableFacts): AsyncIterable<string>
  /** Notes that all data is there. From now on servers start on the database. */
  finish(at: string): Promise<void>
}

/** What is moved. */
export interface MoveTargetOptions {
  /** The tables that are written. They must be empty, unless an earlier attempt has left them. */
  readonly tables: readonly TableFacts[]
  /** The folder, for messages. */
  readonly folder: string
  /** The time, in ISO format. */
  readonly at: string
}

const pageSize = 1_000

/**
 * Opens a Postgres database that data is moved into. Throws a `MoveError` when it has data already. If an earlier attempt
 * was cut off, deletes what it wrote. Until `finish`, no server starts on the database.
 */
export async function openTarget(url: string, options: MoveTargetOptions): Promise<MoveTarget> {
  const sql = await openPostgres(url)
  try {
    const unlock = await lock(sql)
    try {
      const isRestarted = await begin(sql, options)
      return {
        sql,
        isRestarted,
        write: (table, rows) => write(sql, table, rows),
        async analyze({ name }) {
          await sql.write([{ sql: `analyze ${name}`, sets: [[]] }])
        },
        fingerprints: table => fingerprints(sql, table),
        async finish(at) {
          await confirmed(() =>
            sql.write([{ sql: 'update store_moves set finished_at = ? where id = 1', sets: [[at]] }]),
          )
        },
        async [Symbol.asyncDispose]() {
          await unlock()
          await sql.close()
        },
      }
    } catch (error) {
      await unlock()
      throw error
    }
  } catch (error) {
    await sql.close()
    throw error
  }
}

/** Throws the `SqlError` `in-use` when data is being moved into the database, or was moved there only in part. */
export async function assertNotMoving(sql: Pick<Sql, 'read'>): Promise<void> {
  const [moves = []] = await sql.read([
    { sql: 'select source from store_moves where finished_at is null', sets: [[]] },
  ])
  const [move] = moves
  if (move === undefined) return
  throw new SqlError(
    'in-use',
    `The data of ${String(move['source'])} is not yet completely in this database. Wait until "throughline migrate" is done. If it was interrupted, run it again.`,
  )
}

/** Keeps other moves away, until the returned function has resolved or this process ends. */
async function lock({ pool }: PostgresSql): Promise<() => Promise<void>> {
  const client = await pool.connect()
  const { rows } = await client.query<{ isOurs: boolean }>('select pg_try_advisory_lock($1) as "isOurs"', [
    lockKey,
  ])
  if (rows[0]?.isOurs === true) {
    return async () => {
      // Waits, so that the next move can begin. If this fails, the connection is lost, and the lock goes with it.
      await client.query('select pg_advisory_unlock($1)', [lockKey]).catch(() => undefined)
      client.release(true)
    }
  }
  client.release()
  throw new MoveError('target', 'Another process is moving data into this database. Wait until it has ended.')
}

// Any number that nobody else uses: the bytes of "tl-move".
const lockKey = 0x74_6c_2d_6d_6f_76

/** Notes that the move has begun. Returns whether an earlier attempt had to be cleared away. */
async function begin(sql: PostgresSql, { tables, folder, at }: MoveTargetOptions): Promise<boolean> {
  const [moves = []] = await sql.read([
    { sql: 'select source, started_at, finished_at from store_moves where id = 1', sets: [[]] },
  ])
  const [move] = moves
  const isUnfinished = move !== undefined && move['finished_at'] === null
  const names = [...tables.map(({ name }) => name), 'file_bytes']
  if (!isUnfinished) await assertEmpty(sql, names, move)
  await confirmed(() =>
    sql.write([
      { sql: 'delete from store_moves', sets: [[]] },
      {
        sql: 'insert into store_moves (id, source, started_at, finished_at) values (1, ?, ?, null)',
        sets: [[folder, at]],
      },
      ...(isUnfinished ? [{ sql: `truncate ${names.join(', ')}`, sets: [[]] }] : []),
    ]),
  )
  return isUnfinished
}

async function assertEmpty(
  sql: PostgresSql,
  names: readonly string[],
  move: SqlRow | undefined,
): Promise<void> {
  const found = await sql.read(names.map(name => ({ sql: `select 1 as n from ${name} limit 1`, sets: [[]] })))
  const full = names.find((_, index) => (found[index]?.length ?? 0) > 0)
  if (full === undefined) return
  const moved =
    move === undefined
      ? ''
      : ` The data of ${String(move['source'])} was moved here, ${String(move['finished_at'])}.`
  throw new MoveError(
    'target',
    `The database has data already (table ${full}).${moved} Nothing was changed. Name an empty database.`,
  )
}

async function write(
  sql: PostgresSql,
  { name, columns }: TableFacts,
  rows: readonly RowValues[],
): Promise<void> {
  const places = columns.map(() => '?').join(', ')
  const insert = `insert into ${name} (${columns.join(', ')}) values (${places}) on conflict do nothing`
  await confirmed(() => sql.write([{ sql: insert, sets: rows }]))
}

async function* fingerprints(sql: PostgresSql, table: TableFacts): AsyncGenerator<string, void, undefined> {
  const { name, key } = table
  const columns = `${fingerprintSql(table)} as fingerprint, ${key.map(column => `${name}.${column}`).join(', ')}`
  const order = `order by ${key.join(', ')} limit ${pageSize}`
  const after = `(${key.join(', ')}) > (${key.map(() => '?').join(', ')})`
  let last: SqlRow | undefined
  do {
    const statement =
      last === undefined
        ? { sql: `select ${columns} from ${name} ${order}`, sets: [[]] }
        : { sql: `select ${columns} from ${name} where ${after} ${order}`, sets: [keyOf(key, last)] }
    const [rows = []] = await sql.read([statement])
    for (const row of rows) yield String(row['fingerprint'])
    last = rows.length < pageSize ? undefined : rows.at(-1)
  } while (last !== undefined)
}

function keyOf(key: readonly string[], row: SqlRow): readonly (string | number)[] {
  return key.map(column => {
    const value = row[column]
    return typeof value === 'number' ? value : String(value)
  })
}
