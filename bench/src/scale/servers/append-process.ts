import { logName } from '@throughline/log'
import { createId, type EntryDraft, isChatId, isMessageId, isOwnerId, isRunId } from '@throughline/protocol'
import { openPostgresStore } from '@throughline/store/testing'
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
const logs = Number(process.argv[3])
/** How many statements are under way. That is the default of the store. */
const statements = 3
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

/** Every log has one append under way. A statement of the store takes all that wait. */
async function storeAppender(): Promise<Appender> {
  const store = await openPostgresStore(databaseUrl(), { maxUnderWay: statements })
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

/** Every log has one row under way. A statement takes all that wait. */
async function callersAppender(): Promise<Appender> {
  const inserts = await openPlainInserts(databaseUrl(), draft)
  const queue = new PlainQueue(inserts, statements)
  const writers = Array.from({ length: logs }, () => {
    const log = new PlainLog()
    return writer(() => queue.append(log.next(draft)), 1)
  })
  return { writers, close: () => inserts.close() }
}

/** Each of three loops has its own logs, and writes one row to all of them at a time. */
async function loopsAppender(): Promise<Appender> {
  const inserts = await openPlainInserts(databaseUrl(), draft)
  const writers = Array.from({ length: statements }, () => {
    const own = Array.from({ length: Math.ceil(logs / statements) }, () => new PlainLog())
    return writer(() => inserts.insert(own.map(log => log.next(draft))), own.length)
  })
  return { writers, close: () => inserts.close() }
}

/** Writes again and again. Each time commits a number of rows. */
function writer(write: () => Promise<unknown>, rows: number): (end: number) => Promise<number> {
  return async end => {
    let count = 0
    for (; now() < end; count += rows) await write()
    return count
  }
}
