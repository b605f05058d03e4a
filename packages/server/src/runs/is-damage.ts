import { FoldError } from '@throughline/protocol'
import { SqlError } from '@throughline/store'

/** Returns whether an error says that stored data is damaged. Then trying again does not help. */
export function isDamage(error: unknown): boolean {
  return error instanceof FoldError || (error instanceof SqlError && error.code === 'damaged')
}

/**
 * Returns whether a failure of the store may pass, because its data is not damaged. Whatever else fails, such as a mistake
 * in this program, would fail again each time.
 */
export function mayPass(error: unknown): boolean {
  return error instanceof SqlError && error.code !== 'damaged'
}
