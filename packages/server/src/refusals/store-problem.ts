import { FoldError, ProblemError } from '@throughline/protocol'
import { SqlError, type StoreHealth } from '@throughline/store'

/** Returns what a client is told when nothing can be saved. The operator finds more in the server's log. */
export function storeProblem(status: Exclude<StoreHealth['status'], 'ok'>): ProblemError {
  const [code, detail] = problems[status]
  return new ProblemError(503, code, detail)
}

const problems = {
  full: [
    'store-full',
    'The disk of the server is full, so nothing can be saved. Send it again later. The operator has to make room.',
  ],
  unwritable: [
    'store-unwritable',
    'The server cannot write its data, so nothing can be saved. Send it again later. The operator has to make the data folder writable.',
  ],
  gone: [
    'store-gone',
    'The data of the server was moved or deleted, so nothing can be saved. The operator has to put it back and restart the server.',
  ],
  unreachable: [
    'store-unavailable',
    'The server cannot reach its database right now. Send it again later. The operator has to start the database, or repair the network.',
  ],
  closed: [
    'store-unavailable',
    'The server cannot reach its data right now. Try again. If it stays so, the operator has to restart the server.',
  ],
} as const

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
