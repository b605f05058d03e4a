import { logName } from '@throughline/log/log-store'
import type { EntryDraft } from '@throughline/protocol/entry'
import { createId, isChatId, isMessageId, isOwnerId, isRunId } from '@throughline/protocol/ids'
import { openPostgresStore } from '@throughline/store/open-postgres-store'
import { serveBench } from '../../child.ts'
import { now } from '../../load/clock.ts'
import { databaseUrl } from './database-url.ts'
import { openPlainInserts, PlainLog, PlainQueue } from './plain-inserts.ts'

// Appends to many logs as fast as it can: through the store, or with plain inserts of the same rows.

/** Each of the writers writes until a time, and returns how many rows it has committed. */
interface Appender {
  readonly writers: readonly ((end: number) => Promise<number>)[]
  close(): Promise<void>
}

const draft: EntryDraft = {
  runId: createId(isRunId, 'run'),
  messageId: createId(isMessageId, 'msg'),
  chunk: { type: 'text-delta', id: 'text-1', delta: 'twelve chars' },
}
const batch = Number(process.argv[3])
/** How many statements are under way. That is the default of the store. */
const statements = 3
/** While all statements are under way, there is always a whole batch of appends that waits. */
const logs = batch * (statements + 2)
const appender = await appenderFor(process.argv[2])

serveBench('', {
  /** Appends for some seconds. Replies with the number of rows, and how long they took. */
  async append(seconds) {
    const startedAt = now()
    const end = startedAt + Number(seconds) * 1_000
    const counts = await Promise.all(appender.writers.map(write => write(end)))
    return { rows: counts.reduce((sum, count) => sum + count, 0), ms: now() - startedAt }
  },
  close: () => appender.close(),
})

function appenderFor(mode: string | undefined): Promise<Appender> {
  switch (mode) {
    case 'store':
      return storeAppender()
    case 'callers':
      return callersAppender()
    case 'loops':
      return loopsAppender()
    default:
      throw new TypeError(`There is no mode "${mode}".`)
  }
}

/** Every log has one append under way. A statement of the store takes exactly one batch of those that wait. */
async function storeAppender(): Promise<Appender> {
  const maxChars = batch * JSON.stringify(draft.chunk).length
  const store = await openPostgresStore(databaseUrl(), { maxChars, maxUnderWay: statements })
  const ownerId = createId(isOwnerId, 'owner')
  const names = Array.from({ length: logs }, () => logName({ ownerId, chatId: createId(isChatId, 'chat') }))
  const leases = await Promise.all(names.map(name => store.log.acquire(name)))
  const writers = leases.map(lease => {
    let after = 0
    return writer(async () => {
      await store.log.append(lease, after, [draft])
      after += 1
    }, 1)
  })
  return { writers, close: () => store.close() }
}

/** Every log has one row under way. */
async function callersAppender(): Promise<Appender> {
  const inserts = await openPlainInserts(databaseUrl(), draft)
  const queue = new PlainQueue(inserts, { batch, statements })
  const writers = Array.from({ length: logs }, () => {
    const log = new PlainLog()
    return writer(() => queue.append(log.next(draft)), 1)
  })
  return { writers, close: () => inserts.close() }
}

/** Each of three loops has its own logs, and writes one row to a batch of them at a time. */
async function loopsAppender(): Promise<Appender> {
  const inserts = await openPlainInserts(databaseUrl(), draft)
  const writers = Array.from({ length: statements }, () => {
    let waiting = Array.from({ length: Math.ceil(logs / statements) }, () => new PlainLog())
    return writer(() => {
      const taken = waiting.slice(0, batch)
      waiting = [...waiting.slice(batch), ...taken]
      return inserts.insert(taken.map(log => log.next(draft)))
    }, batch)
  })
  return { writers, close: () => inserts.close() }
}

/** Writes again and again. Each time commits so many rows. */
function writer(write: () => Promise<unknown>, rows: number): (end: number) => Promise<number> {
  return async end => {
    let count = 0
    for (; now() < end; count += rows) await write()
    return count
  }
}
