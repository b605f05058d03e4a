import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type Sql, SqlError, type SqlRow, type Statement } from '../sql.ts'
import { assertNode } from './assert-node.ts'
import type { ThreadReply, ThreadRequest } from './thread-messages.ts'

type Rows = readonly (readonly SqlRow[])[]

/**
 * Opens a database in a thread of its own, with WAL, an fsync at every commit and group commit. Resolves when the
 * database is migrated.
 */
export async function openSqlite(path: string): Promise<Sql> {
  assertNode()
  // The thread is TypeScript in the repository, and JavaScript in the package.
  const thread = new Worker(new URL(`./thread${extname(import.meta.url)}`, import.meta.url), {
    workerData: path,
  })
  const pending = new Map<number, { resolve: (rows: Rows) => void; reject: (error: Error) => void }>()
  const opened = Promise.withResolvers<void>()
  const exited = Promise.withResolvers<void>()
  let end: SqlError | undefined
  let lastId = 0

  function fail(error: SqlError): void {
    end ??= error
    opened.reject(error)
    for (const { reject } of pending.values()) reject(error)
    pending.clear()
  }

  thread.on('message', (reply: ThreadReply) => {
    if (reply.type === 'open') return opened.resolve()
    if (reply.type === 'broken') return fail(new SqlError(reply.code, reply.message))
    const waiter = pending.get(reply.id)
    pending.delete(reply.id)
    if (reply.type === 'done') waiter?.resolve(reply.rows)
    else waiter?.reject(new SqlError(reply.code, reply.message))
  })
  thread.on('error', error => fail(new SqlError('failed', `The database thread broke: ${error.message}`)))
  thread.on('exit', () => {
    fail(closedError())
    exited.resolve()
  })

  const post = (request: ThreadRequest) => thread.postMessage(request)

  function run(type: 'read' | 'write', statements: readonly Statement[]): Promise<Rows> {
    if (end !== undefined) return Promise.reject(end)
    lastId += 1
    const id = lastId
    const { promise, resolve, reject } = Promise.withResolvers<Rows>()
    pending.set(id, { resolve, reject })
    post({ type, id, statements })
    return promise
  }

  await opened.promise
  return {
    write: statements => run('write', statements),
    read: statements => run('read', statements),
    async close() {
      // Later requests must not reach the thread, because the file is closed there.
      end ??= closedError()
      post({ type: 'close' })
      await exited.promise
    },
  }
}

function closedError(): SqlError {
  return new SqlError('closed', 'The database is closed.')
}
