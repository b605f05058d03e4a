import { follow, logName } from '@throughline/log'
import { createId, type EntryDraft, isChatId, isMessageId, isOwnerId, isRunId } from '@throughline/protocol'
import { openPostgresStore } from '@throughline/store/testing'
import { idOf } from '@throughline/testing/log/id-of'
import { z } from 'zod'
import { serveBench } from '../../child.ts'
import { now, until } from '../../load/clock.ts'
import { databaseUrl } from './database-url.ts'

// The store of one node. It writes to a log, or follows the log that another process writes to.
const store = await openPostgresStore(databaseUrl())
const log = logName({ ownerId: idOf(isOwnerId, 'local'), chatId: idOf(isChatId, 'bell') })
const runId = createId(isRunId, 'run')
const messageId = createId(isMessageId, 'msg')
const draft: EntryDraft = {
  runId,
  messageId,
  chunk: { type: 'text-delta', id: 'text-1', delta: 'twelve chars' },
}
const leaving = new AbortController()
/** When the entries of the log came, in their order. */
const cameAt: number[] = []

const writing = z.object({ count: z.number(), everyMs: z.number() })

serveBench('', {
  /** Appends one entry at a time. Replies with the times when each append began, and when it was committed. */
  async write(parameters) {
    const { count, everyMs } = writing.parse(parameters)
    const lease = await store.log.acquire(log)
    const times: [number, number][] = []
    const startAt = now()
    for (let number = 0; number < count; number += 1) {
      await until(startAt + number * everyMs)
      const begunAt = now()
      await store.log.append(lease, lease.head.seq + number, [draft])
      times.push([begunAt, now()])
    }
    return times
  },
  /** Starts to follow the log. */
  async follow() {
    const after = await store.log.open(log)
    void noteTimes(after)
  },
  /** Waits until this number of entries has come. Replies with the times when they did. */
  async came(count) {
    while (cameAt.length < Number(count)) await until(now() + 10)
    return cameAt
  },
  async close() {
    leaving.abort()
    await store.close()
  },
})

async function noteTimes(after: Awaited<ReturnType<typeof store.log.open>>): Promise<void> {
  for await (const page of follow(store.log, log, { after, signal: leaving.signal })) {
    const at = now()
    for (const _ of page) cameAt.push(at)
  }
}
