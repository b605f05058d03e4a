import type { PreparedQuery } from './prepared-query.ts'

// The network can fail in the middle of a statement. The server then waits for the rest of it, perhaps for hours, and
// holds the locks of the rows that the statement has written. Nobody could append to these logs, or take them over.

/** Marks the statement that appends, so that it is recognised among the connections of the server. */
export const appendMark = '/* throughline append */'

/**
 * Ends the connections whose append has waited for the rest of its statement for so long, in milliseconds. If a sender
 * is only slow, it sees a lost connection, and sends again.
 */
export function endAbandonedQuery(afterMs: number): PreparedQuery {
  return { name: 'log-end-abandoned', text: endAbandonedSql, values: [afterMs, `${appendMark}%`] }
}

const endAbandonedSql = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and usename = current_user and query like $2
    and state = 'active' and wait_event = 'ClientRead'
    and xact_start < clock_timestamp() - $1::bigint * interval '1 millisecond'`
