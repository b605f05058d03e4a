import type { OwnerId } from '@throughline/protocol'
import type { Authenticate } from './identity.ts'
import type { Tokens } from './token-table.ts'

interface OperatorOptions {
  readonly operators?: readonly string[] | undefined
  readonly tokens?: Tokens | undefined
  readonly authenticate?: Authenticate | undefined
}

/**
 * Returns a function that says who is an operator: who may see how the server itself is doing. If the options name none,
 * the only person of the server is one. Among several people, nobody is.
 */
export function operatorsOf({
  operators,
  tokens = new Map(),
  authenticate,
}: OperatorOptions): (ownerId: OwnerId) => boolean {
  if (operators !== undefined) {
    const named = new Set(operators)
    return ownerId => named.has(ownerId)
  }
  if (authenticate !== undefined) return () => false
  return () => isOnePerson((typeof tokens === 'function' ? tokens() : tokens).values())
}

/** Looks at no more owners than it takes to find a second one. */
function isOnePerson(owners: Iterable<OwnerId>): boolean {
  let first: OwnerId | undefined
  for (const owner of owners) {
    if (first !== undefined && owner !== first) return false
    first = owner
  }
  return true
}
