import { createHash } from 'node:crypto'
import type { SqlRow, SqlValue } from '../database/sql.ts'
import type { TableFacts } from './table-facts.ts'

/** The values of a row, in the order of the columns of its table. */
export type RowValues = readonly SqlValue[]

/** Returns the values of a row. Throws when one of them is neither text nor a number. */
export function valuesOf({ name, columns }: TableFacts, row: SqlRow): RowValues {
  return columns.map(column => {
    const value = row[column]
    if (value === null || typeof value === 'string' || typeof value === 'number') return value
    throw new TypeError(`The column ${name}.${column} has a ${typeof value}.`)
  })
}

/**
 * Returns a hash of a row: of the length and the text of each value. Postgres computes the same with `fingerprintSql`, so a
 * row can be compared without reading it back.
 */
export function fingerprint(values: RowValues): string {
  return createHash('sha256').update(values.map(written).join(' ')).digest('hex')
}

/** Returns an expression for Postgres: the fingerprint of a row of the table. */
export function fingerprintSql({ columns }: TableFacts): string {
  const texts = columns.map(column => `cast(${column} as text)`)
  const parts = texts.map(text => `coalesce(cast(octet_length(${text}) as text) || ':' || ${text}, '-')`)
  return `encode(sha256(convert_to(${parts.join(" || ' ' || ")}, 'UTF8')), 'hex')`
}

function written(value: SqlValue): string {
  if (value === null) return '-'
  // Postgres cannot store U+0000 in text. U+FFFD takes its place.
  const text = String(value).replaceAll('\0', '\uFFFD')
  return `${Buffer.byteLength(text)}:${text}`
}

/** Returns about how many bytes a row takes in memory. */
export function rowBytes(values: RowValues): number {
  return values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? value.length : 8), 0)
}
