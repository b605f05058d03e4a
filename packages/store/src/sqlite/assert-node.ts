import { SqlError } from '../database/sql.ts'

/**
 * Throws a `SqlError` when this Node is too old for a store. Older ones have no `node:sqlite`, or one that can damage its
 * file.
 */
export function assertNode(version = process.versions.node): void {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > 24 || (major === 24 && minor >= 15)) return
  throw new SqlError(
    'old-node',
    `Throughline needs Node 24.15 or newer, and this is ${version}. Install it from https://nodejs.org, or start your program with "npx throughline-node".`,
  )
}
