/** A value of a query: a parameter, or a cell of a result. */
export type Cell = string | number | boolean | null

/** One statement, and the values of its parameters. */
export interface DatabaseQuery {
  readonly sql: string
  readonly params: readonly Cell[]
}

/** How large a result may be, and how long it may take. */
export interface QueryLimits {
  readonly maxRows: number
  readonly maxBytes: number
  readonly timeoutMs: number
}

/** What a query has found. `cut` names the limit that was reached, when there is more than these rows. */
export interface DatabaseRows {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  readonly cut?: 'maxRows' | 'maxBytes'
}

/** A database that agents may use. Each call stands alone: nothing that one changes in its session is there in the next. */
export interface AgentDatabase {
  readonly dialect: 'SQLite' | 'Postgres'
  /** The queries that list the tables (parameter: a part of their names, or '') and describe one (parameter: its name). */
  readonly catalog: { readonly tables: string; readonly columns: string; readonly constraints: string }
  /** Runs one query that cannot write. The database itself makes sure of that. Throws a `DatabaseError`. */
  select(query: DatabaseQuery, signal: AbortSignal | undefined): Promise<DatabaseRows>
  /** Runs one statement that may write, in a transaction of its own. Returns how many rows it has changed. */
  write(query: DatabaseQuery, signal: AbortSignal | undefined): Promise<number>
}

/** A query failed, or was not allowed. The message is for the model that asked. */
export class DatabaseError extends Error {
  override readonly name = 'DatabaseError'
  /** `refused`: what the database says about the statement. `too-slow`, `too-large`: it was ended. `unreachable`: nothing was done. */
  readonly code: 'refused' | 'too-slow' | 'too-large' | 'unreachable'

  constructor(code: DatabaseError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** Takes rows until a limit is reached. Reads at most one row more than it returns. */
export function boundedRows(
  columns: readonly string[],
  source: Iterable<readonly unknown[]>,
  { maxRows, maxBytes }: Pick<QueryLimits, 'maxRows' | 'maxBytes'>,
): DatabaseRows {
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
