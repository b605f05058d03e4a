import { type ChatKey, isChatId, isOwnerId } from '@throughline/protocol'
import {
  type Compilable,
  DummyDriver,
  type Expression,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type SqlBool,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  sql,
} from 'kysely'
import { z } from 'zod'
import { type Dialect, postgresDialect, sqliteDialect } from './dialect.ts'
import type { Schema } from './schema.ts'
import { type Sql, SqlError, type SqlRow, type SqlValue, type Statement } from './sql.ts'

/** A database, and Kysely to write the SQL for it. Kysely never runs a query itself: `sql` does. */
export interface StoreDatabase {
  readonly sql: Sql
  readonly build: Kysely<Schema>
  /** For statements that are written by hand. */
  readonly dialect: Dialect
  /** Returns the time by which nodes live and die, in milliseconds since 1970. Default: the clock of the database. */
  readonly clock?: (() => number) | undefined
}

/** Returns a database that builds its statements for SQLite. */
export function databaseOnSqlite(sql: Sql, clock?: StoreDatabase['clock']): StoreDatabase {
  return {
    sql,
    clock,
    dialect: sqliteDialect,
    build: new Kysely<Schema>({
      dialect: {
        createAdapter: () => new SqliteAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: database => new SqliteIntrospector(database),
        createQueryCompiler: () => new SqliteQueryCompiler(),
      },
    }),
  }
}

/** Returns a database that builds its statements for Postgres. */
export function databaseOnPostgres(sql: Sql, clock?: StoreDatabase['clock']): StoreDatabase {
  return {
    sql,
    clock,
    dialect: postgresDialect,
    build: new Kysely<Schema>({
      dialect: {
        createAdapter: () => new PostgresAdapter(),
        createDriver: () => new DummyDriver(),
        createIntrospector: database => new PostgresIntrospector(database),
        createQueryCompiler: () => new PostgresQueryCompiler(),
      },
    }),
  }
}

/** The columns that say to which chat a row belongs. */
export interface ChatColumns {
  readonly owner_id: string
  readonly chat_id: string
}

/** Returns the columns that name a chat. */
export function chatColumns({ ownerId, chatId }: ChatKey): ChatColumns {
  return { owner_id: ownerId, chat_id: chatId }
}

/** Returns the chat of a row with the columns `owner_id` and `id`. */
export function chatKeyFrom({ owner_id: ownerId, id: chatId }: SqlRow): ChatKey {
  if (isOwnerId(ownerId) && isChatId(chatId)) return { ownerId, chatId }
  throw new SqlError('failed', `The row of chat "${String(chatId)}" is damaged.`)
}

/**
 * For `where`: the status of a run that goes on. A literal, not a parameter. Postgres uses an index that has the condition
 * `status = 'running'` only for statements in which it finds the same words.
 */
export const running = sql.lit('running' as const)

/** For `where`: only the rows of one chat. */
export function ofChat(chat: ChatKey) {
  return ({ and }: { and(columns: ChatColumns): Expression<SqlBool> }) => and(chatColumns(chat))
}

/** Selects a chat that was not removed. */
export function existingChat({ build }: StoreDatabase, { ownerId, chatId }: ChatKey) {
  return build
    .selectFrom('chats')
    .select('id')
    .where('owner_id', '=', ownerId)
    .where('id', '=', chatId)
    .where('removed_at', 'is', null)
}

/** Makes a statement from a query. */
export function statement(query: Compilable, options: { readonly mustChange?: boolean } = {}): Statement {
  const { sql, parameters } = query.compile()
  return { sql, sets: [parameters.map(sqlValue)], ...options }
}

/** Reads the rows of a query. Throws the `SqlError` `damaged` when a row is not as its table defines it. */
export async function readRows<Row>(
  { sql }: StoreDatabase,
  query: Compilable | Statement,
  row: z.ZodType<Row>,
): Promise<readonly Row[]> {
  const [rows = []] = await sql.read(['compile' in query ? statement(query) : query])
  const parsed = z.array(row).safeParse(rows)
  if (parsed.success) return parsed.data
  const where = parsed.error.issues[0]?.path.join('.')
  throw new SqlError('damaged', `A row is damaged (${where}). Restore the database from a backup.`)
}

function sqlValue(value: unknown): SqlValue {
  if (typeof value === 'string' || typeof value === 'number' || value === null) return value
  throw new TypeError(`A ${typeof value} cannot be an SQL parameter here.`)
}
