import { FoldError } from '@throughline/protocol'
import { SqlError } from '@throughline/store'

/** Returns whether an error says that stored data is damaged. Then trying again does not help. */
export function isDamage(error: unknown): boolean {
  return error instanceof FoldError || (error instanceof SqlError && error.code === 'damaged')
}

/** Returns whether an error says that the store cannot be written now. Later it may work again. */
export function isStoreDown(error: unknown): boolean {
  return error instanceof SqlError && downs.includes(error.code)
}

const downs: readonly SqlError['code'][] = ['full', 'unwritable', 'unreachable', 'unconfirmed', 'closed']
