import { createHash } from 'node:crypto'
import type { Statement } from '../database/sql.ts'

/** A statement as Postgres gets it. */
export interface PostgresText {
  readonly text: string
  /** The name of the prepared statement. Equal texts have equal names. */
  readonly name: string
  /** Whether the rows of the result are rows of the statement. */
  readonly hasRows: boolean
}

/**
 * Returns a function that writes statements for Postgres, and remembers what it wrote. The texts of statements come from
 * the code, never from input, so there are few of them.
 *
 * Another generation has other texts and names for the same statements. So they are prepared again, also by a pooler, which
 * keeps what it has prepared for equal texts of all its clients.
 */
export function createPostgresTexts(
  generation = 0,
): (statement: Pick<Statement, 'sql' | 'mustChange'>) => PostgresText {
  const plain = new Map<string, PostgresText>()
  const checked = new Map<string, PostgresText>()
  return ({ sql, mustChange = false }) => {
    const known = mustChange ? checked : plain
    const found = known.get(sql)
    if (found !== undefined) return found
    const made = postgresText(sql, { mustChange, generation })
    known.set(sql, made)
    return made
  }
}

/**
 * With `mustChange`, the statement fails in the database if it changes or selects no row: 1 is divided by the number of
 * rows. So all statements of a transaction can be sent at once, and the database itself undoes the transaction.
 */
function postgresText(
  sql: string,
  { mustChange, generation }: { readonly mustChange: boolean; readonly generation: number },
): PostgresText {
  const numbered = numberPlaceholders(sql)
  const hasRows = /^\s*(?:select|with)\b/i.test(sql) || /\breturning\b/i.test(sql)
  const written = mustChange ? checkedText(numbered, hasRows) : numbered
  const text = generation === 0 ? written : `${written} /* ${generation} */`
  return { text, hasRows, name: createHash('sha256').update(text).digest('base64url').slice(0, 32) }
}

function checkedText(text: string, hasRows: boolean): string {
  if (!hasRows) return `with changed as (${text} returning 1) select 1 / count(*) from changed`
  // The check comes first: Postgres must not skip it when there are no rows to join.
  return `with changed as (${text}), checked as (select 1 / count(*) as ok from changed)
    select changed.* from checked left join changed on true where checked.ok >= 0`
}

/** Replaces each `?` by `$1`, `$2` and so on, except in quoted text. */
function numberPlaceholders(sql: string): string {
  let count = 0
  return sql.replaceAll(/'[^']*'|"[^"]*"|\?/g, found => {
    if (found !== '?') return found
    count += 1
    return `$${count}`
  })
}
