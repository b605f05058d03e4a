import type { MessagePort } from 'node:worker_threads'
import { backupDatabase } from './backup-database.ts'
import { describeError } from './describe-error.ts'
import { GroupCommit } from './group-commit.ts'
import { openDatabase } from './open-database.ts'
import type { ThreadReply, ThreadRequest } from './thread-messages.ts'

/**
 * Opens a database, and does what comes through the port until it is closed. An fsync blocks its thread, and all jobs
 * that come meanwhile share the next fsync.
 */
export function serveDatabase(port: MessagePort, path: string): void {
  const reply = (message: ThreadReply) => port.postMessage(message)
  try {
    const database = openDatabase(path)
    const commits = new GroupCommit(database, results => reply({ type: 'jobs', results }))
    port.on('message', (request: ThreadRequest) => {
      if (request.type === 'jobs') return commits.add(request.jobs)
      if (request.type === 'backup') return void backUp(request.id, request.path)
      commits.close()
      database.close()
      port.close()
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
    port.close()
  }
}
