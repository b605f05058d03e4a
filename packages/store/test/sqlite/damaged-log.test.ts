import { setImmediate } from 'node:timers/promises'
import { testLog, textDraft } from '@throughline/testing/log/log-drafts'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { openSqlite, type SqliteThread } from '../../src/sqlite/open-sqlite.ts'
import { createSqliteLogStore } from '../../src/sqlite/sqlite-log-store.ts'

const log = testLog('chat')
const damages = [
  `update log_entries set chunk = '{"type":"text-delta","id":"text"' where seq = 3`,
  `update log_entries set chunk = '{"type":"text-delta","id":"text"}' where seq = 3`,
  `update log_entries set chunk = 'null' where seq = 3`,
  `update log_entries set run_id = '' where seq = 3`,
  `update log_entries set chunk = replace(chunk, '"c"', '"x"') where seq = 3`,
  'update log_entries set at = at + 1 where seq = 3',
  "update log_entries set message_id = 'other' where seq = 3",
  'delete from log_entries where seq = 3',
  'delete from log_entries where seq >= 3',
]
const tailDamages = [
  `update log_tail set body = '1 run answer {"type":"text-delta","id":"text"' where seq = 3`,
  `update log_tail set body = '1 run answer null' where seq = 3`,
  `update log_tail set body = '' where seq = 3`,
  `update log_tail set body = replace(body, '"c"', '"x"') where seq = 3`,
  'update log_tail set at = at + 1 where seq = 3',
  'delete from log_tail where seq = 3',
  'delete from log_tail where seq >= 3',
]

test.for([...damages, ...tailDamages])(
  'a damaged log gives what is whole before the damage, then a named error: %s',
  async damage => {
    await using folder = await temporaryFolder()
    const sql = await openSqlite(`${folder.path}/test.sqlite`)
    const store = createSqliteLogStore(sql)
    const lease = await store.acquire(log)
    const entries = []
    for (const [after, text] of ['a', 'b', 'c', 'd'].entries())
      entries.push(...(await store.append(lease, after, [textDraft(text)])))
    if (damages.includes(damage)) {
      store.release(lease)
      await untilMoved(sql)
    }
    await sql.write([{ sql: damage, sets: [[]] }])
    expect(await store.read(log, lease.head, 2)).toEqual(entries.slice(0, 2))
    for (const seq of [0, 2]) {
      const read = readAll(store, { ...lease.head, seq })
      await expect(read).rejects.toMatchObject({ name: 'SqlError', code: 'damaged' })
      await expect(read).rejects.toThrow('Entry 3 of the log is damaged')
    }
    await sql.close()
  },
)

async function readAll(
  store: ReturnType<typeof createSqliteLogStore>,
  after: { epoch: string; seq: number },
): Promise<void> {
  for (let { seq } = after; seq < 4; ) {
    const page = await store.read(log, { epoch: after.epoch, seq }, 10)
    seq = page.at(-1)?.seq ?? 4
  }
}

async function untilMoved(sql: SqliteThread): Promise<void> {
  for (;;) {
    const [[row] = []] = await sql.read([{ sql: 'select count(*) as count from log_entries', sets: [[]] }])
    if (row?.['count'] === 4) return
    await setImmediate()
  }
}
