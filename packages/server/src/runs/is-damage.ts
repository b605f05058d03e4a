import { FoldError } from '@throughline/protocol'
import { SqlError } from '@throughline/store'

/** Returns whether an error says that stored data is damaged. Then trying again does not help. */
export function isDamage(error: unknown): boolean {
  return error instanceof FoldError || (error instanceof SqlError && error.code === 'damaged')
}
