import { backup, type DatabaseSync } from 'node:sqlite'
import type { MessagePort } from 'node:worker_threads'
import { describeError } from './describe-error.ts'
import { GroupCommit } from './group-commit.ts'
import { closeDatabase, openDatabase } from './open-database.ts'
import type { DatabaseReply, DatabaseRequest } from './thread-messages.ts'

/**
 * Opens a database, and does what comes through the port until it is closed. An fsync blocks its thread, and all jobs
 * that come meanwhile share the next fsync.
 */
export function serveDatabase(port: MessagePort, path: string): void {
  const reply = (message: DatabaseReply) => port.postMessage(message)
  try {
    const database = openDatabase(path)
    const commits = new GroupCommit(database, results => reply({ type: 'jobs', results }))
    port.on('message', (request: DatabaseRequest) => {
      if (request.type === 'jobs') return commits.add(request.jobs)
      if (request.type === 'backup') return void backUp(request.id, request.path)
      commits.close()
      closeDatabase(database)
      end(port)
    })
    const backUp = async (id: number, path: string) => {
      const result = await backupDatabase(database, path, commits).then(
        () => ({ type: 'done', id, rows: [] }) as const,
        error => ({ type: 'failed', id, ...describeError(error) }) as const,
      )
      reply({ type: 'jobs', results: [result] })
    }
    reply({ type: 'open' })
  } catch (error) {
    const { code, message } = describeError(error)
    reply({ type: 'broken', code, message })
    end(port)
  }
}

/** Lets the thread end. In Deno, the port of a thread cannot be closed. */
function end(port: MessagePort): void {
  if (typeof port.close === 'function') port.close()
  else process.exit()
}

/**
 * How many pages of the database are copied in one step: 256 KB. Jobs wait for the step that goes on, so a larger one
 * would delay them for longer.
 */
const pagesPerStep = 64

/**
 * Copies a database to a new file while it is written. The copy has everything that was committed before the copy
 * ended. SQLite copies in another thread, and refuses to do so during a transaction. So jobs run between two steps.
 */
function backupDatabase(
  database: DatabaseSync,
  path: string,
  commits: Pick<GroupCommit, 'whileHeld'>,
): Promise<void> {
  return commits.whileHeld(async drain => {
    await backup(database, path, { rate: pagesPerStep, progress: drain })
  })
}
