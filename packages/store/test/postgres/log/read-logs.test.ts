import { follow } from '@throughline/log'
import { endDraft, testLog, textDraft } from '@throughline/testing/log/log-drafts'
import { createLogTables, openTestLog } from '@throughline/testing/postgres/postgres-log'
import { testDatabase } from '@throughline/testing/postgres/test-database'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import type { PostgresLogOptions } from '../../../src/postgres/log/postgres-log-store.ts'

const log = testLog('chat')

test('after a failover a log gets another epoch, its entries keep their numbers, and its lease stays valid', async () => {
  await using opened = await openLog()
  const { store, query } = opened
  const lease = await store.acquire(log)
  const entries = await store.append(lease, 0, [textDraft('one'), textDraft('two')])
  await query("update logs set timeline = '00000000'")
  const position = await store.open(log)
  expect(position.seq).toBe(2)
  expect(position.epoch).not.toBe(lease.head.epoch)
  expect(await store.open(log)).toEqual(position)
  await expect(store.read(log, lease.head, 10)).rejects.toMatchObject({ code: 'unknown-position' })
  expect(await store.read(log, { ...position, seq: 0 }, 10)).toEqual(entries)
  expect(await store.append(lease, 2, [endDraft])).toMatchObject([{ seq: 3 }])
  expect((await store.acquire(log)).head).toEqual({ epoch: position.epoch, seq: 3 })
})

test.each([
  ['a standby that took over', "timeline = '00000000'"],
  ['another database', "origin = 'd1t2f3s4'"],
])('a lease from before goes on in %s, and what it writes has another epoch', async (_, change) => {
  await using opened = await openLog({ pollMs: 3_600_000 })
  const { store, query } = opened
  const lease = await store.acquire(log)
  const entries = await store.append(lease, 0, [textDraft('one'), textDraft('two')])
  const { signal } = new AbortController()
  const following = follow(store, log, { after: { ...lease.head, seq: 2 }, signal }).next()
  following.catch(() => undefined)
  await query(`update logs set ${change}`)
  const more = await store.append(lease, 2, [endDraft])
  await expect(store.read(log, { ...lease.head, seq: 2 }, 10)).rejects.toMatchObject({
    code: 'unknown-position',
  })
  await expect(following).rejects.toMatchObject({ code: 'unknown-position' })
  const position = await store.open(log)
  expect(await store.read(log, { ...position, seq: 0 }, 10)).toEqual([...entries, ...more])
})

test('after a failover appends are written, although other nodes give their logs new epochs at the same moment', async () => {
  await using opened = await openLog()
  const { store, query, url } = opened
  await using other = await openTestLog(url)
  const logs = Array.from({ length: 40 }, (_, index) => testLog(`chat-${index}`))
  const leases = await Promise.all(logs.map(each => store.acquire(each)))
  await query("update logs set timeline = '00000000'")
  const appended = Promise.all(leases.map(lease => store.append(lease, 0, [textDraft('one')])))
  for (const each of logs.toReversed()) await other.store.open(each)
  expect((await appended).flat()).toHaveLength(logs.length)
})

test('a log of the release before, which noted no origin, keeps its epoch', async () => {
  await using opened = await openLog()
  const { store, query, url } = opened
  const lease = await store.acquire(log)
  const unopened = await store.open(testLog('unopened'))
  await query("update logs set origin = ''")
  expect(await store.append(lease, 0, [endDraft])).toMatchObject([{ seq: 1 }])
  expect((await store.acquire(log)).head).toEqual({ ...lease.head, seq: 1 })
  // A log that nobody opens has its origin before the next backup, too.
  await using node = await openTestLog(url)
  expect(await query("select name from logs where origin = ''")).toEqual([])
  expect(await node.store.open(testLog('unopened'))).toEqual(unopened)
})

test('a table of logs that was filled anew gives every log another epoch', async () => {
  await using opened = await openLog()
  const { store, query } = opened
  const position = await store.open(log)
  await query('create table copied as select * from logs')
  await query('truncate logs')
  await query('insert into logs select * from copied')
  expect((await store.open(log)).epoch).not.toBe(position.epoch)
})

test('where the provider does not say the number of the cluster, the rest is compared', async () => {
  await using opened = await openLog()
  const { store, query, url } = opened
  await query(`create function pg_control_system(out system_identifier bigint) language plpgsql
    as 'begin raise insufficient_privilege; end'`)
  await store.open(log)
  await using refused = await openTestLog(`${url}?options=-csearch_path%3Dpublic,pg_catalog`)
  const position = await refused.store.open(log)
  expect(await refused.store.open(log)).toEqual(position)
  await query("update logs set origin = 'd1t2f3r4'")
  expect((await refused.store.open(log)).epoch).not.toBe(position.epoch)
})

test('where the provider does not say the timeline, each start of the server counts as a failover', async () => {
  await using opened = await openLog()
  const { store, query, url } = opened
  await query(`create function pg_walfile_name(pg_lsn) returns text language plpgsql
    as 'begin raise insufficient_privilege; end'`)
  await store.open(log)
  await using refused = await openTestLog(`${url}?options=-csearch_path%3Dpublic,pg_catalog`)
  await refused.store.open(log)
  expect(await query('select origin from logs')).toEqual([{ origin: expect.stringMatching(/r\d+$/) }])
})

test('a holder whose last entries were lost in a failover writes nothing more', async () => {
  await using opened = await openLog()
  const { store, query } = opened
  const lease = await store.acquire(log)
  await store.append(lease, 0, [textDraft('kept'), textDraft('lost')])
  await query('delete from log_entries where seq = 2')
  await query("update logs set timeline = '00000000'")
  await expect(store.append(lease, 2, [endDraft])).rejects.toMatchObject({ code: 'wrong-end' })
  // Also after somebody has opened the log on the new timeline.
  await store.open(log)
  await expect(store.append(lease, 2, [endDraft])).rejects.toMatchObject({ code: 'wrong-end' })
  expect(await query('select seq from log_entries')).toEqual([{ seq: '1' }])
})

test.each([
  ['the timeline of the server is not tracked', { isTimelineTracked: false }, []],
  ['the server does not wait for its disk', {}, ['synchronous_commit = off']],
])('entries that were lost without a new timeline are missed if %s', async (_, options, settings) => {
  await using opened = await openLog(options, settings)
  const { store, query } = opened
  const lease = await store.acquire(log)
  await store.append(lease, 0, [textDraft('kept'), textDraft('lost')])
  await query('delete from log_entries where seq = 2')
  await expect(store.append(lease, 2, [endDraft])).rejects.toMatchObject({ code: 'wrong-end' })
})

test('without timelines the epoch stays', async () => {
  await using opened = await openLog({ isTimelineTracked: false })
  const { store, query } = opened
  const position = await store.open(log)
  await query("update logs set timeline = '00000000'")
  expect(await store.open(log)).toEqual(position)
  expect((await store.acquire(log)).head).toEqual(position)
})

test('the rows of trimmed entries and of removed logs are deleted, also those that an ended process has left', async () => {
  await using opened = await openLog()
  const { store, query, url } = opened
  const lease = await store.acquire(log)
  const many = Array.from({ length: 12_000 }, () => endDraft)
  await store.append(lease, 0, many)
  await store.trim(log, 11_990)
  const count = async () => (await query('select count(*)::int as count from log_entries'))[0]
  await expect.poll(count).toEqual({ count: 10 })
  await store.remove(log)
  await expect.poll(count).toEqual({ count: 0 })
  await query("insert into log_entries values ('left', 1, 0, 'run', 'answer', '{}')")
  await query("insert into log_removals values ('left', 1)")
  await using _other = await openTestLog(url)
  await expect.poll(count).toEqual({ count: 0 })
})

test('a damaged row is reported by name, and never shown', async () => {
  await using opened = await openLog()
  const { store, query } = opened
  const lease = await store.acquire(log)
  await store.append(lease, 0, [textDraft('one'), textDraft('two'), textDraft('three')])
  await query("update log_entries set chunk = '{' where seq = 2")
  await expect(store.read(log, lease.head, 10)).rejects.toMatchObject({ name: 'SqlError', code: 'damaged' })
  expect(await store.read(log, lease.head, 1)).toHaveLength(1)
  await query('delete from log_entries where seq = 2')
  await expect(store.read(log, { ...lease.head, seq: 1 }, 10)).rejects.toMatchObject({ code: 'damaged' })
})

test('a page of large entries ends early', async () => {
  await using opened = await openLog()
  const { store } = opened
  const lease = await store.acquire(log)
  const large = Array.from({ length: 5 }, () => textDraft('x'.repeat(600_000)))
  await store.append(lease, 0, large)
  expect(await store.read(log, lease.head, 10)).toHaveLength(2)
})

async function openLog(options: PostgresLogOptions = {}, settings: readonly string[] = []) {
  const database = await testDatabase()
  await createLogTables(database.url)
  const client = new Client({ connectionString: database.url })
  await client.connect()
  const name = new URL(database.url).pathname.slice(1)
  for (const setting of settings) await client.query(`alter database ${name} set ${setting}`)
  const node = await openTestLog(database.url, options)
  return {
    url: database.url,
    store: node.store,
    query: async (sql: string): Promise<unknown[]> => (await client.query(sql)).rows,
    async [Symbol.asyncDispose]() {
      await client.end()
      await node[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}
