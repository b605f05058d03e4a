// The thread of a database. It does nothing else.
import { parentPort, workerData } from 'node:worker_threads'
import { giveMemoryBack } from '../memory/give-memory-back.ts'
import { serveDatabase } from './serve-database.ts'

if (parentPort !== null) {
  serveDatabase(parentPort, String(workerData))
  giveMemoryBack()
}
