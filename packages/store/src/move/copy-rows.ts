import { createHash } from 'node:crypto'
import type { SqlRow } from '../sql.ts'
import { MoveError } from './move-error.ts'
import type { MoveTarget } from './move-target.ts'
import { fingerprint, type RowValues, sizeOf, valuesOf } from './row-values.ts'
import type { TableFacts } from './table-facts.ts'

/** A table whose rows are equal on both sides. */
export interface MovedTable {
  readonly name: string
  readonly rows: number
  /** A hash of all rows. */
  readonly checksum: string
}

const maxBatchRows = 500
const maxBatchBytes = 1024 * 1024

/** Writes all rows of a table to the target, in slices. Returns how many there are. */
export async function copyRows(
  target: Pick<MoveTarget, 'write'>,
  table: TableFacts,
  rows: Iterable<SqlRow>,
): Promise<number> {
  let batch: RowValues[] = []
  let bytes = 0
  let count = 0
  for (const row of rows) {
    const values = valuesOf(table, row)
    batch.push(values)
    bytes += sizeOf(values)
    count += 1
    if (batch.length < maxBatchRows && bytes < maxBatchBytes) continue
    await target.write(table, batch)
    batch = []
    bytes = 0
  }
  if (batch.length > 0) await target.write(table, batch)
  return count
}

/** Compares all rows of a table on both sides, one by one. Throws a `MoveError` that names the first difference. */
export async function compareRows(
  target: Pick<MoveTarget, 'fingerprints'>,
  table: TableFacts,
  rows: Iterable<SqlRow>,
): Promise<MovedTable> {
  const hash = createHash('sha256')
  let count = 0
  const others = target.fingerprints(table)[Symbol.asyncIterator]()
  for (const row of rows) {
    const values = valuesOf(table, row)
    const expected = fingerprint(values)
    const found = await others.next()
    const key = table.key.map(column => String(row[column])).join('/')
    if (found.done === true) throw different(`${table.name} ${key} is missing in the target`)
    if (found.value !== expected) throw different(`${table.name} ${key} is not the same on both sides`)
    hash.update(expected)
    count += 1
  }
  if ((await others.next()).done !== true) throw different(`the target has more rows in ${table.name}`)
  return { name: table.name, rows: count, checksum: hash.digest('hex') }
}

function different(what: string): MoveError {
  return new MoveError('difference', `The copy is not right: ${what}. Run the command again: it begins anew.`)
}
