import type { MessagePort } from 'node:worker_threads'
import { parentPort, workerData } from 'node:worker_threads'
import type { SqlError, SqlRow } from '../sql.ts'
import { describeError } from './describe-error.ts'
import { GroupCommit, type Job } from './group-commit.ts'
import { openDatabase } from './open-database.ts'

/** What the thread answers: the database is open, a job is done, or it failed. */
export type ThreadReply =
  | { readonly type: 'open' }
  | { readonly type: 'done'; readonly id: number; readonly rows: readonly (readonly SqlRow[])[] }
  | {
      readonly type: 'failed'
      readonly id: number
      readonly code: SqlError['code']
      readonly message: string
    }
  | { readonly type: 'broken'; readonly code: SqlError['code']; readonly message: string }

export type ThreadRequest = Job | { readonly type: 'close' }

if (parentPort !== null) serve(parentPort, String(workerData))

// Fsync blocks its thread; here it blocks no one else, and all jobs that arrive meanwhile share the next one.
function serve(port: MessagePort, path: string): void {
  const reply = (message: ThreadReply) => port.postMessage(message)
  try {
    const database = openDatabase(path)
    const commits = new GroupCommit(database, reply)
    port.on('message', (request: ThreadRequest) => {
      if (request.type !== 'close') return commits.add(request)
      commits.drain()
      database.close()
      port.close()
    })
    reply({ type: 'open' })
  } catch (error) {
    const { code, message } = describeError(error)
    reply({ type: 'broken', code, message })
    port.close()
  }
}
