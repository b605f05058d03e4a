import type { OwnerId } from '@throughline/protocol'
import type { ThroughlineOptions } from '../throughline-options.ts'

/**
 * Returns a function that says who is an operator: who may see how the server itself is doing. If the options name none,
 * the only person of the server is one. Among several people, nobody is.
 */
export function operatorsOf({
  operators,
  tokens = new Map(),
  authenticate,
}: Pick<ThroughlineOptions, 'authenticate' | 'operators' | 'tokens'>): (ownerId: OwnerId) => boolean {
  if (operators !== undefined) {
    const named = new Set(operators)
    return ownerId => named.has(ownerId)
  }
  const isAlone = authenticate === undefined && new Set(tokens.values()).size <= 1
  return () => isAlone
}
