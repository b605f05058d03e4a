import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { SqlError, type SqlRow, type Statement } from '../database/sql.ts'

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

/**
 * Runs a statement once for each set of its parameters. Returns all rows. Throws the `SqlError` `no-effect` when it had to
 * change a row and did not.
 */
export function runStatement(prepare: Prepare, { sql, sets, mustChange }: Statement): readonly SqlRow[] {
  const prepared = prepare(sql)
  const rows: SqlRow[] = []
  let changes = 0
  for (const parameters of sets) {
    if (prepared.columns().length > 0) {
      const found = prepared.all(...parameters)
      for (const row of found) rows.push(row)
      changes += found.length
    } else {
      changes += Number(prepared.run(...parameters).changes)
    }
  }
  if (mustChange === true && changes === 0) {
    throw new SqlError(
      'no-effect',
      'The transaction was undone: a statement that had to change a row did not.',
    )
  }
  return rows
}
