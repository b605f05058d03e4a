import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { z } from 'zod'

/** One append, as it is sent to the thread. */
export interface EarlierAppend {
  readonly log: number
  readonly runId: string
  readonly messageId: string
  /** The chunk of each entry, as JSON. */
  readonly json: string
  /** How many entries. */
  readonly count: number
}

const reply = z.object({ id: z.number() })

/** A log with the layout before the hot tail. It exists only to be measured. */
export interface EarlierLog {
  append(append: EarlierAppend): Promise<void>
  close(): Promise<void>
}

/** Starts the thread, which makes a database with this number of logs. */
export async function openEarlierLog(path: string, logs: number): Promise<EarlierLog> {
  const thread = new Worker(new URL('./earlier-log-thread.ts', import.meta.url), {
    workerData: { path, logs },
    name: 'earlier-log',
  })
  await once(thread, 'message')
  const waiting = new Map<number, () => void>()
  thread.on('message', message => {
    const { id } = reply.parse(message)
    waiting.get(id)?.()
    waiting.delete(id)
  })
  let count = 0
  return {
    append(append) {
      count += 1
      thread.postMessage({ ...append, id: count })
      return new Promise(resolve => waiting.set(count, resolve))
    },
    async close() {
      await thread.terminate()
    },
  }
}
