/** One SQL statement, run once for each set of parameters. */
export interface Statement {
  readonly sql: string
  readonly sets: readonly (readonly SqlValue[])[]
  /** Without an effect on at least one row the whole transaction is undone: `SqlError` `no-effect`. */
  readonly mustChange?: boolean
}

export type SqlValue = string | number | null
export type SqlRow = Readonly<Record<string, unknown>>

/**
 * A database as this package uses it. There are no interactive transactions: what belongs together is
 * handed over together, so no transaction ever waits for the caller while it holds a lock.
 */
export interface Sql {
  /** All statements in one transaction, all or none; resolves once it is durable. Rows per statement. */
  write(statements: readonly Statement[]): Promise<readonly (readonly SqlRow[])[]>
  /** All statements see the same committed state. Rows per statement. */
  read(statements: readonly Statement[]): Promise<readonly (readonly SqlRow[])[]>
  close(): Promise<void>
}

export class SqlError extends Error {
  override readonly name = 'SqlError'
  /** `constraint`: a unique key or check said no. `failed`: the database could not do it (e.g. disk full). */
  readonly code: 'no-effect' | 'constraint' | 'in-use' | 'newer-schema' | 'closed' | 'failed'

  constructor(code: SqlError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** Whether a write went through, when some kinds of failure are an answer and not an error. */
export async function succeeds(
  failure: SqlError['code'] | readonly SqlError['code'][],
  write: () => Promise<unknown>,
): Promise<boolean> {
  try {
    await write()
    return true
  } catch (error) {
    if (error instanceof SqlError && [failure].flat().includes(error.code)) return false
    throw error
  }
}
