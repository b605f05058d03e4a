import type { MessagePort } from 'node:worker_threads'
import { parentPort, workerData } from 'node:worker_threads'
import { giveMemoryBack } from '../give-memory-back.ts'
import { backupDatabase } from './backup-database.ts'
import { describeError } from './describe-error.ts'
import { GroupCommit } from './group-commit.ts'
import { openDatabase } from './open-database.ts'
import type { ThreadReply, ThreadRequest } from './thread-messages.ts'

if (parentPort !== null) serve(parentPort, String(workerData))

// An fsync blocks its thread. This thread does nothing else, and all jobs that come meanwhile share the next fsync.
function serve(port: MessagePort, path: string): void {
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
    giveMemoryBack({ minGrowthBytes: 8 * 1024 * 1024 })
    reply({ type: 'open' })
  } catch (error) {
    const { code, message } = describeError(error)
    reply({ type: 'broken', code, message })
    port.close()
  }
}
