// The thread of the database loads this file. So it imports nothing: every package would be loaded once more there.

/** One SQL statement, run once for each set of parameters. A `?` in it stands for a parameter. */
export interface Statement {
  readonly sql: string
  readonly sets: readonly (readonly SqlValue[])[]
  /**
   * If the statement changes or selects no row, the whole transaction is undone, with the `SqlError` `no-effect`. Only
   * for statements with one set of parameters.
   */
  readonly mustChange?: boolean
}

/** A value in a statement. */
export type SqlValue = string | number | Uint8Array | null
/** A row of a result, by column. */
export type SqlRow = Readonly<Record<string, unknown>>
/** The rows of each statement of a transaction, or of a job. */
export type StatementRows = readonly (readonly SqlRow[])[]

/**
 * A database as this package uses it. There are no interactive transactions: all statements of a transaction are passed
 * at once. So no transaction holds a lock while it waits for the caller.
 */
export interface Sql {
  /** Runs all statements in one transaction. Resolves once it is durable, with the rows of each statement. */
  write(statements: readonly Statement[]): Promise<StatementRows>
  /** Runs statements that only read. All see the same committed state. Resolves with the rows of each statement. */
  read(statements: readonly Statement[]): Promise<StatementRows>
  close(): Promise<void>
}

/** Thrown when a statement fails. */
export class SqlError extends Error {
  override readonly name = 'SqlError'
  /**
   * - `constraint`: a unique key or a check forbids it.
   * - `full`: the disk has no room. `unwritable`: the disk or the file cannot be written. Later it may work again.
   * - `unreachable`: the database server does not respond. Nothing was changed. Later it may work again.
   * - `busy`: the database server refuses the statement for now: it lacks time or memory, or somebody else has a lock.
   *   Nothing was changed. Later it may work again.
   * - `unconfirmed`: the connection to the database server was lost before it confirmed a write. Nobody knows whether
   *   the write took effect. Repeat it, or read what is there: see `confirmed` and `succeeds`.
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
    | 'busy'
    | 'unconfirmed'
    | 'damaged'
    | 'failed'

  constructor(code: SqlError['code'], message: string) {
    super(message)
    this.code = code
  }
}
