import type { Cell, QueryLimits, Rows } from './database.ts'

/** Takes rows until a limit is reached. Reads at most one row more than it returns. */
export function boundedRows(
  columns: readonly string[],
  source: Iterable<readonly unknown[]>,
  { maxRows, maxBytes }: Pick<QueryLimits, 'maxRows' | 'maxBytes'>,
): Rows {
  const rows: Cell[][] = []
  let bytes = 0
  for (const values of source) {
    if (rows.length === maxRows) return { columns, rows, cut: 'maxRows' }
    const row = values.map(cellOf)
    bytes += Buffer.byteLength(JSON.stringify(row)) + 1
    if (bytes > maxBytes) return { columns, rows, cut: 'maxBytes' }
    rows.push(row)
  }
  return { columns, rows }
}

/** Longer texts are cut, so that one cell does not take the place of all rows. */
const maxCellChars = 2_000

function cellOf(value: unknown): Cell {
  switch (typeof value) {
    case 'string':
      return value.length <= maxCellChars
        ? value
        : `${value.slice(0, maxCellChars).toWellFormed()}… (${value.length} characters)`
    case 'bigint':
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    case 'boolean':
      return value
    default:
      if (value instanceof Uint8Array) return `(blob, ${value.byteLength} bytes)`
      return value === null || value === undefined ? null : String(value)
  }
}
