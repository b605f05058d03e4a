import { retry } from '@throughline/protocol/internal'

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
    | 'unconfirmed'
    | 'damaged'
    | 'failed'

  constructor(code: SqlError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Runs a write that may take effect twice without harm. If the connection was lost before the database confirmed it, it
 * is repeated. Throws the `SqlError` `unconfirmed` when the database does not respond for about ten seconds.
 */
export async function confirmed<Result>(
  write: () => Promise<Result>,
  onUnconfirmed: () => void = () => undefined,
): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof SqlError && error.code === 'unconfirmed')) throw error
    onUnconfirmed()
    const result = await retry(async () => ({ value: await write() }), {
      firstMs: 50,
      maxMs: 5_000,
      onFailure(failure, delayMs) {
        const mayPass =
          failure instanceof SqlError && (failure.code === 'unconfirmed' || failure.code === 'unreachable')
        if (!mayPass) throw failure
        // Unreachable means that this attempt changed nothing. The first one may still have taken effect.
        if (delayMs >= 5_000) throw error
        return delayMs
      },
    })
    if (result === undefined) throw error
    return result.value
  }
}

/**
 * Runs an insert of a row whose key nobody else uses. If the connection was lost before the database confirmed it, it is
 * repeated, and the row may be there already.
 */
export async function insertedOnce(write: () => Promise<unknown>): Promise<void> {
  let isRepeated = false
  try {
    await confirmed(write, () => {
      isRepeated = true
    })
  } catch (error) {
    if (!(isRepeated && error instanceof SqlError && error.code === 'constraint')) throw error
  }
}

/**
 * Returns whether a write succeeded. Failures with one of the given codes return false. All others are thrown.
 *
 * If the connection was lost before the database confirmed the write, it is repeated. When the repetition fails with one
 * of the given codes, `isOurs` reads back whether the first attempt is the reason: then the write has succeeded. Repeating
 * comes before reading, because the database may still be at work on the first attempt. The repetition waits for it.
 */
export async function succeeds(
  failure: SqlError['code'] | readonly SqlError['code'][],
  write: () => Promise<unknown>,
  isOurs: () => Promise<boolean> = async () => false,
): Promise<boolean> {
  let isRepeated = false
  try {
    await confirmed(write, () => {
      isRepeated = true
    })
    return true
  } catch (error) {
    if (!(error instanceof SqlError && [failure].flat().includes(error.code))) throw error
    return isRepeated && (await isOurs())
  }
}
