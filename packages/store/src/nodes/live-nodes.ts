import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { StoreDatabase } from '../database/database.ts'

type Clock = Pick<StoreDatabase, 'clock' | 'dialect'>

/** A node whose last beat is longer ago is dead, in milliseconds. Others take over what it did. */
const deadAfterMs = 15_000

/** SQL for the time by the clock of the database, in milliseconds since 1970. Nodes have no other clock in common. */
export function nowMs({ clock, dialect }: Clock): RawBuilder<number> {
  return clock === undefined ? sql.raw(dialect.now) : sql.lit(clock())
}

/**
 * SQL for whether the node that a column names has beaten in time. False for a name that is empty or unknown.
 *
 * Not `exists`: Postgres makes a join of `not exists`, and when another transaction has changed the row meanwhile, it
 * looks at the new row with an empty table of nodes. Two nodes would take the same run.
 */
export function isLiveNode(database: Clock, column: string): Expression<SqlBool> {
  return sql<SqlBool>`coalesce((select live.seen_at > ${nowMs(database)} - ${sql.lit(deadAfterMs)}
    from nodes as live where live.id = ${sql.ref(column)}), false)`
}

/** SQL for the opposite. */
export function isNotLiveNode(database: Clock, column: string): Expression<SqlBool> {
  return sql<SqlBool>`not ${isLiveNode(database, column)}`
}
