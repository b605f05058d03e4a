import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** Returns the prepared form of a statement. */
export type Prepare = (sql: string) => StatementSync

/** Prepares statements of a database, each one once. */
export function prepareOnce(database: DatabaseSync): Prepare {
  const prepared = new Map<string, StatementSync>()
  return sql => {
    const known = prepared.get(sql) ?? database.prepare(sql)
    prepared.set(sql, known)
    return known
  }
}
