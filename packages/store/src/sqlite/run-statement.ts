import { SqlError, type SqlRow, type Statement } from '../sql.ts'
import type { Prepare } from './prepare-once.ts'

/** Runs a statement once for each set of its parameters. Returns all rows. */
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
