import { backup, type DatabaseSync } from 'node:sqlite'
import type { GroupCommit } from './group-commit.ts'

/**
 * How many pages of the database are copied in one step: 256 KB. Jobs wait for the step that goes on, so a larger one
 * would delay them for longer.
 */
const pagesPerStep = 64

/**
 * Copies a database to a new file while it is written. The copy has everything that was committed before the copy
 * ended. SQLite copies in another thread, and refuses to do so during a transaction. So jobs run between two steps.
 */
export function backupDatabase(
  database: DatabaseSync,
  path: string,
  commits: Pick<GroupCommit, 'whileHeld'>,
): Promise<void> {
  return commits.whileHeld(async drain => {
    await backup(database, path, { rate: pagesPerStep, progress: drain })
  })
}
