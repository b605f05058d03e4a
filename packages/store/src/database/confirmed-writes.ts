import { asOneOperation, waitOut } from './patience.ts'
import { SqlError } from './sql.ts'

/** How long a write is repeated whose caller does not wait for the database: it may have taken effect. */
const withoutPatience = { maxWaitMs: 6_000 }

/**
 * Runs a write that may take effect twice without harm. If the connection was lost before the database confirmed it, it
 * is repeated as long as the caller waits for the database, and for six seconds if the caller does not. Each attempt takes
 * as long as the database's own time limits allow. Throws the `SqlError` `unconfirmed` when no attempt was confirmed.
 */
export function confirmed<Result>(
  write: () => Promise<Result>,
  onUnconfirmed: () => void = () => undefined,
): Promise<Result> {
  return asOneOperation(async () => {
    try {
      return await write()
    } catch (error) {
      if (!isUnconfirmed(error)) throw error
      onUnconfirmed()
      return await waitOut(write, isUnconfirmed, withoutPatience).catch(failure => {
        // This attempt changed nothing. The first one may still have taken effect.
        throw hadNoEffect(failure) ? error : failure
      })
    }
  })
}

function isUnconfirmed(error: unknown): boolean {
  return error instanceof SqlError && error.code === 'unconfirmed'
}

/** The server was away, or refused the statement for now. */
function hadNoEffect(error: unknown): boolean {
  return error instanceof SqlError && ['unreachable', 'unwritable', 'busy'].includes(error.code)
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

/**
 * Runs a write that deletes a row, and fails with `no-effect` when there is none. Returns false then. If the connection was
 * lost before the database confirmed the write, it is repeated. When the repetition finds no row, this returns true: most
 * likely the first attempt has deleted it, and in any case it is gone. Not for rows that others take away for another reason.
 */
export function deletes(write: () => Promise<unknown>): Promise<boolean> {
  return succeeds('no-effect', write, async () => true)
}
