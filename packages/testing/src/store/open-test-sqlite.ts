import { EventEmitter } from 'node:events'
import { MessageChannel, Worker } from 'node:worker_threads'
import { type DatabasePort, openInThread, type SqliteThread } from '@throughline/store/testing'

/**
 * Opens a database as `openSqlite` does, but in a thread that all tests of this process share. The start of a thread takes
 * ten times as long as the rest, and the tests open thousands of databases.
 */
export function openTestSqlite(path: string): Promise<SqliteThread> {
  const { port1: near, port2: far } = new MessageChannel()
  testThread().postMessage({ port: far, path }, [far])
  const thread: DatabasePort & EventEmitter = Object.assign(new EventEmitter(), {
    postMessage: (request: unknown) => near.postMessage(request),
  })
  near.on('message', reply => thread.emit('message', reply))
  near.on('close', () => thread.emit('exit'))
  return openInThread(thread)
}

let running: Worker | undefined

/** Memoised. It does not keep the process alive; the port of an open database does. */
function testThread(): Worker {
  if (running !== undefined) return running
  const worker = new Worker(new URL('./test-thread.ts', import.meta.url))
  worker.once('exit', () => {
    running = undefined
  })
  worker.unref()
  running = worker
  return worker
}
