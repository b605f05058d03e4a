import { limitConcurrency } from '@throughline/protocol/internal'
import { Client, DatabaseError as PostgresError } from 'pg'
import {
  type AgentDatabase,
  boundedRows,
  DatabaseError,
  type DatabaseQuery,
  type QueryLimits,
} from './database.ts'

/**
 * Makes a database of an address. Each statement gets a connection of its own, so what it does to its session is gone with
 * it. What it may do is decided by Postgres, not by reading its text:
 *
 * - A query is what a cursor can be declared for. So it is one statement and only reads: no `set`, `copy`, `do` or `call`.
 * - Its transaction is read only, and it cannot change that any more: another query came before it in the transaction.
 * - `statement_timeout` ends it. A change of that setting does not hold for a statement that has begun.
 * - A role that may read files or run programs of the database server is refused. Functions could do both without a write.
 */
export function openPostgresDatabase(url: string, limits: QueryLimits): AgentDatabase {
  const inTurn = limitConcurrency(maxConnections)
  const connected = <Result>(signal: AbortSignal | undefined, work: (client: Client) => Promise<Result>) =>
    inTurn(() => withClient({ url, signal, timeoutMs: limits.timeoutMs }, work))
  return {
    dialect: 'Postgres',
    catalog,
    select: ({ sql, params }, signal) =>
      connected(signal, async client => {
        await begin(client, 'read only', limits)
        await client.query(
          extended({ sql: `declare found no scroll cursor without hold for ${sql}\n`, params }),
        )
        const { fields, rows } = await client.query({
          text: `fetch forward ${limits.maxRows + 1} from found`,
          rowMode: 'array',
          types: { getTypeParser: (type: number) => (text: string) => cellIn(type, text) },
        })
        const names = fields.map(({ name }) => name)
        return boundedRows(names, rowsIn(rows), limits)
      }),
    write: ({ sql, params }, signal) =>
      connected(signal, async client => {
        await begin(client, 'read write', limits)
        const { rowCount } = await client.query(extended({ sql, params }))
        await client.query('commit')
        return rowCount ?? 0
      }),
  }
}

/** How many statements run at a time on one database. */
const maxConnections = 4
const connectTimeoutMs = 5_000
/** How much one statement may send us, in bytes. It is more than any result that is returned, because cells are cut here. */
const maxReceivedBytes = 64 * 1_024 * 1_024

interface Connecting {
  readonly url: string
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
}

async function withClient<Result>(
  { url, timeoutMs, signal }: Connecting,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  signal?.throwIfAborted()
  const client = new Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs })
  const broken = Promise.withResolvers<never>()
  const end = (error: unknown) => broken.reject(error)
  const onAbort = () => end(signal?.reason)
  // Postgres ends a statement itself. This is for a server that does not respond any more.
  const timer = setTimeout(() => end(tooSlow(timeoutMs)), connectTimeoutMs + 2 * timeoutMs)
  const watch = setInterval(() => endWhenLarge(client, end), 50)
  signal?.addEventListener('abort', onAbort)
  client.on('error', () => end(new DatabaseError('unreachable', 'The connection to the database broke.')))
  try {
    return await Promise.race([broken.promise, connectAndWork(client, { timeoutMs, work })])
  } finally {
    clearTimeout(timer)
    clearInterval(watch)
    signal?.removeEventListener('abort', onAbort)
    // Also ends a transaction that is open. Nobody waits for a server that does not respond.
    client.connection.stream.destroy()
  }
}

async function connectAndWork<Result>(
  client: Client,
  { timeoutMs, work }: { readonly timeoutMs: number; readonly work: (client: Client) => Promise<Result> },
): Promise<Result> {
  try {
    await client.connect()
  } catch {
    // The reason may name hosts and roles. It is not for the chat.
    throw new DatabaseError('unreachable', 'The database cannot be reached now, so nothing was done.')
  }
  try {
    return await work(client)
  } catch (error) {
    if (error instanceof PostgresError && error.code === '57014') throw tooSlow(timeoutMs)
    if (error instanceof PostgresError) throw new DatabaseError('refused', `Postgres: ${error.message}`)
    throw error
  }
}

async function begin(client: Client, mode: 'read only' | 'read write', { timeoutMs }: QueryLimits) {
  await client.query(
    `begin ${mode}; set local statement_timeout = ${timeoutMs}; set local lock_timeout = ${timeoutMs}`,
  )
  // This also takes the snapshot after which a transaction that only reads cannot become one that writes.
  const { rows } = await client.query<{ dangerous: boolean }>(dangerousRole)
  if (rows[0]?.dangerous !== false) {
    const advice = 'Give it a role of its own that may only read the tables that agents should see.'
    throw new DatabaseError(
      'refused',
      `The role of this database may do more than read and write tables. ${advice}`,
    )
  }
}

const dangerousRole = `select bool_or(rolsuper) or
  pg_has_role(session_user, 'pg_read_server_files', 'member') or
  pg_has_role(session_user, 'pg_write_server_files', 'member') or
  pg_has_role(session_user, 'pg_execute_server_program', 'member') as dangerous
  from pg_roles where rolname = session_user`

const catalog = {
  tables: `select n.nspname as schema, c.relname as name,
      case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'f' then 'foreign table' else 'table' end as type,
      obj_description(c.oid, 'pg_class') as comment
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'p', 'v', 'm', 'f') and n.nspname not in ('pg_catalog', 'information_schema')
      and has_schema_privilege(n.oid, 'usage') and has_any_column_privilege(c.oid, 'select')
      and ($1::text = '' or strpos(lower(c.relname), lower($1::text)) > 0)
    order by n.nspname, c.relname`,
  columns: `select a.attname as name, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as not_null,
      pg_get_expr(d.adbin, d.adrelid) as default_value, col_description(a.attrelid, a.attnum) as comment
    from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = to_regclass($1::text) and a.attnum > 0 and not a.attisdropped
      and has_column_privilege(a.attrelid, a.attnum, 'select') order by a.attnum`,
  constraints: `select pg_get_constraintdef(oid) as constraint_text from pg_constraint
    where conrelid = to_regclass($1::text) and contype in ('p', 'u', 'f', 'c')
      and has_any_column_privilege(conrelid, 'select') order by contype desc, conname`,
}

/** Returns a query for the extended protocol, which takes one statement. Its parameters are never part of its text. */
function extended({ sql, params }: DatabaseQuery) {
  return { text: sql, values: [...params], queryMode: 'extended' }
}

function endWhenLarge(client: Client, end: (error: unknown) => void): void {
  const { stream } = client.connection
  if ('bytesRead' in stream && Number(stream.bytesRead) > maxReceivedBytes)
    end(
      new DatabaseError('too-large', 'The rows are too large. Ask for fewer columns, or for parts of them.'),
    )
}

function tooSlow(timeoutMs: number): DatabaseError {
  const advice = 'Ask for less: fewer rows, or a condition on an indexed column.'
  return new DatabaseError(
    'too-slow',
    `The statement took more than ${timeoutMs} ms and was ended. ${advice}`,
  )
}

const types = { bool: 16, bytea: 17, int8: 20, int2: 21, int4: 23, float4: 700, float8: 701 } as const

/** Returns a value of a column. What JSON has no form for stays a text, as Postgres writes it. */
function cellIn(type: number, text: string): unknown {
  switch (type) {
    case types.bool:
      return text === 't'
    case types.bytea:
      return `(blob, ${(text.length - 2) / 2} bytes)`
    case types.int2:
    case types.int4:
    case types.float4:
    case types.float8:
      return Number(text)
    case types.int8:
      return BigInt(text)
    default:
      return text
  }
}

function* rowsIn(rows: readonly unknown[]): Generator<readonly unknown[], void> {
  for (const row of rows) if (Array.isArray(row)) yield row
}
