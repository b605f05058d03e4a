import { logName } from '@throughline/log/log-store'
import type { EntryDraft } from '@throughline/protocol/entry'
import { createId, isChatId, isMessageId, isOwnerId, isRunId } from '@throughline/protocol/ids'
import { createEpoch } from '@throughline/protocol/position'
import { openPostgresStore } from '@throughline/store/open-postgres-store'
import { openPostgres } from '@throughline/store/postgres/open-postgres'
import { serveBench } from '../../child.ts'
import { now } from '../../load/clock.ts'
import { databaseUrl } from './database-url.ts'

// Appends to many logs as fast as it can: through the store, or with plain inserts of the same rows.

/** Appends until a time. Returns how many rows were committed. */
interface Appender {
  appendUntil(end: number): Promise<number>
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
const appender = process.argv[2] === 'plain' ? await plainAppender() : await storeAppender()

serveBench('', {
  /** Appends for some seconds. Replies with the number of rows, and how long they took. */
  async append(seconds) {
    const startedAt = now()
    const rows = await appender.appendUntil(startedAt + Number(seconds) * 1_000)
    return { rows, ms: now() - startedAt }
  },
  close: () => appender.close(),
})

/** Every log has one append under way. A statement of the store takes exactly one batch of those that wait. */
async function storeAppender(): Promise<Appender> {
  const maxChars = batch * JSON.stringify(draft.chunk).length
  const store = await openPostgresStore(databaseUrl(), { maxChars, maxUnderWay: statements })
  const ownerId = createId(isOwnerId, 'owner')
  const names = Array.from({ length: logs }, () => logName({ ownerId, chatId: createId(isChatId, 'chat') }))
  const writers = (await Promise.all(names.map(name => store.log.acquire(name)))).map(lease => {
    let after = 0
    return async (end: number) => {
      const before = after
      while (now() < end) {
        await store.log.append(lease, after, [draft])
        after += 1
      }
      return after - before
    }
  })
  return {
    appendUntil: async end => sum(await Promise.all(writers.map(write => write(end)))),
    close: () => store.close(),
  }
}

const insertSql = `insert into plain_entries (epoch, seq, at, run_id, message_id, chunk)
  select * from unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[])`

interface LogEnd {
  readonly epoch: string
  seq: number
}

/** Each of the loops has its own logs, and writes one entry to a batch of them at a time. */
async function plainAppender(): Promise<Appender> {
  const sql = await openPostgres(databaseUrl())
  await sql.pool.query('create table plain_entries (like log_entries including all)')
  const loops = Array.from({ length: statements }, () => {
    let waiting: readonly LogEnd[] = Array.from({ length: Math.ceil(logs / statements) }, () => {
      return { epoch: createEpoch(), seq: 0 }
    })
    return async (end: number) => {
      let rows = 0
      for (; now() < end; rows += batch) {
        const taken = waiting.slice(0, batch)
        waiting = [...waiting.slice(batch), ...taken]
        await sql.pool.query({ name: 'plain', text: insertSql, values: [...columnsOf(taken)] })
      }
      return rows
    }
  })
  return {
    appendUntil: async end => sum(await Promise.all(loops.map(insert => insert(end)))),
    close: () => sql.close(),
  }
}

/** Returns the columns of one new row for each log. */
function columnsOf(ends: readonly LogEnd[]): readonly (readonly unknown[])[] {
  const at = Date.now()
  for (const end of ends) end.seq += 1
  return [
    ends.map(({ epoch }) => epoch),
    ends.map(({ seq }) => seq),
    ends.map(() => at),
    ends.map(() => draft.runId),
    ends.map(() => draft.messageId),
    ends.map(() => JSON.stringify(draft.chunk)),
  ]
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
