import type { DatabaseSync } from 'node:sqlite'
import type { StatementRows } from '../../src/database/sql.ts'
import { AppendGroup } from '../../src/sqlite/append-group.ts'
import type { ChoreOptions, FreePageOptions } from '../../src/sqlite/chores.ts'
import { GroupCommit } from '../../src/sqlite/group-commit.ts'
import type { SqliteThread } from '../../src/sqlite/open-sqlite.ts'
import type { Job, LogWork } from '../../src/sqlite/thread-messages.ts'

/** What a log store needs of the database thread, in the test's own thread. */
export function inlineThread(
  database: DatabaseSync,
  options: ChoreOptions & FreePageOptions = {},
): Pick<SqliteThread, 'append' | 'assertOpen' | 'readLog' | 'writeLog'> & { readonly commits: GroupCommit } {
  const waiting = new Map<number, PromiseWithResolvers<StatementRows>>()
  let lastId = 0
  const commits = new GroupCommit(
    database,
    results => {
      for (const result of results) {
        if (result.type === 'done') waiting.get(result.id)?.resolve(result.rows)
        else waiting.get(result.id)?.reject(new Error(result.message))
      }
    },
    options,
  )
  const add = (type: Job['type'], work: LogWork) => {
    lastId += 1
    const result = Promise.withResolvers<StatementRows>()
    waiting.set(lastId, result)
    commits.add([{ type, id: lastId, work }])
    return result.promise
  }
  return {
    commits,
    async append(append) {
      const group = new AppendGroup()
      const appended = group.add(append)
      add('write', group.work).then(group.resolve, group.reject)
      await appended
    },
    assertOpen: () => undefined,
    readLog: work => add('read', work),
    writeLog: work => add('write', work),
  }
}
