/** One SQL statement, run once for each set of parameters. */
export interface Statement {
  readonly sql: string
  readonly sets: readonly (readonly SqlValue[])[]
  /** If the statement changes or selects no row, the whole transaction is undone, with the `SqlError` `no-effect`. */
  readonly mustChange?: boolean
}

/** A value in a statement. */
export type SqlValue = string | number | null
/** A row of a result, by column. */
export type SqlRow = Readonly<Record<string, unknown>>

/**
 * A database as this package uses it. There are no interactive transactions: all statements of a transaction are passed
 * at once. So no transaction holds a lock while it waits for the caller.
 */
export interface Sql {
  /** Runs all statements in one transaction. Resolves once it is durable, with the rows of each statement. */
  write(statements: readonly Statement[]): Promise<readonly (readonly SqlRow[])[]>
  /** Runs statements that only read. All see the same committed state. Resolves with the rows of each statement. */
  read(statements: readonly Statement[]): Promise<readonly (readonly SqlRow[])[]>
  close(): Promise<void>
}

/** Thrown when a statement fails. */
export class SqlError extends Error {
  override readonly name = 'SqlError'
  /**
   * - `constraint`: a unique key or a check forbids it.
   * - `full`: the disk has no room. `unwritable`: the disk or the file cannot be written. Later it may work again.
   * - `unreachable`: the database server does not respond. Nothing was changed. Later it may work again.
   * - `damaged`: what is stored cannot be read. Trying again does not help.
   * - `failed`: the database failed for another reason.
   */
  readonly code:
    | 'no-effect'
    | 'constraint'
    | 'in-use'
    | 'newer-schema'
    | 'old-node'
    | 'closed'
    | 'full'
    | 'unwritable'
    | 'unreachable'
    | 'damaged'
    | 'failed'

  constructor(code: SqlError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** Returns whether a write succeeded. Failures with one of the given codes return false. All others are thrown. */
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
