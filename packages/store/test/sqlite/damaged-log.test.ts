import { testLog, textDraft } from '@throughline/testing/log/log-drafts'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'
import { createSqliteLogStore } from '../../src/sqlite/sqlite-log-store.ts'

const log = testLog('chat')
const damages = [
  `update log_entries set chunk = '{"type":"text-delta","id":"text"' where seq = 3`,
  `update log_entries set chunk = '{"type":"text-delta","id":"text"}' where seq = 3`,
  `update log_entries set chunk = 'null' where seq = 3`,
  `update log_entries set run_id = '' where seq = 3`,
  'delete from log_entries where seq = 3',
  'delete from log_entries where seq >= 3',
]

test.for(damages)(
  'a damaged log gives what is whole before the damage, then a named error: %s',
  async damage => {
    await using folder = await temporaryFolder()
    const sql = await openSqlite(`${folder.path}/test.sqlite`)
    const store = createSqliteLogStore(sql)
    const lease = await store.acquire(log)
    const entries = await store.append(
      lease,
      ['a', 'b', 'c', 'd'].map(text => textDraft(text)),
    )
    await sql.write([{ sql: damage, sets: [[]] }])
    expect(await store.read(log, lease.head, 2)).toEqual(entries.slice(0, 2))
    for (const seq of [0, 2]) {
      const read = store.read(log, { ...lease.head, seq }, 10)
      await expect(read).rejects.toMatchObject({ name: 'SqlError', code: 'failed' })
      await expect(read).rejects.toThrow('Entry 3 of the log is damaged')
    }
    await sql.close()
  },
)
