import { startFaultProxy } from '@throughline/testing/faults/fault-proxy'
import { proxiedUrl } from '@throughline/testing/postgres/proxied-url'
import { migratedTestDatabase } from '@throughline/testing/postgres/test-database'
import { expect, test } from 'vitest'
import { watchPostgresHealth } from '../../src/health/postgres-health.ts'
import { openPostgres } from '../../src/postgres/open-postgres.ts'

const makeTable = [{ sql: 'create table notes (text text)', sets: [[]] }]

/** Opens a database whose health is watched. `wait` lets a second pass. */
async function openWatched(url: string, { maxLookMs = 3_000, connectTimeoutMs = 1_000 } = {}) {
  const sql = await openPostgres(url, { connectTimeoutMs })
  let ms = 0
  const health = watchPostgresHealth(sql, { now: () => ms, maxLookMs })
  return {
    sql,
    health,
    wait: () => {
      ms += 1_000
    },
    [Symbol.asyncDispose]: () => sql.close(),
  }
}

test('a server that became read-only shows, until it can be written again', async () => {
  await using database = await migratedTestDatabase()
  await using db = await openWatched(database.url)
  const name = new URL(database.url).pathname.slice(1)
  const other = await openPostgres(database.url)
  const turn = async (value: 'on' | 'off') => {
    await other.write([
      { sql: `alter database ${name} set default_transaction_read_only = ${value}`, sets: [[]] },
    ])
    // The setting counts for new connections.
    const end = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`
    await other.read([{ sql: end, sets: [[]] }])
  }
  expect(await db.health()).toEqual({ status: 'ok' })
  await turn('on')
  await expect.poll(() => db.sql.write(makeTable).catch(error => error.code)).toBe('unwritable')
  expect(await db.health()).toMatchObject({ status: 'unwritable' })
  await turn('off')
  await expect
    .poll(() => {
      db.wait()
      return db.health()
    })
    .toEqual({ status: 'ok' })
  // The look has left nothing behind.
  const tables = "select tablename from pg_tables where tablename like '%probe%'"
  expect(await db.sql.read([{ sql: tables, sets: [[]] }])).toEqual([[]])
  await other.close()
})

test('a server that cannot be reached shows, until it is back', async () => {
  await using database = await migratedTestDatabase()
  let isDown = false
  const proxy = await startFaultProxy(database.url, () =>
    isDown ? { type: 'reset', afterBytes: 0 } : { type: 'none' },
  )
  const db = await openWatched(proxiedUrl(database.url, proxy))
  expect(await db.health()).toEqual({ status: 'ok' })
  isDown = true
  proxy.resetAll()
  db.wait()
  expect(await db.health()).toMatchObject({
    status: 'unreachable',
    problem: expect.stringContaining('The Postgres server cannot be reached'),
  })
  isDown = false
  db.wait()
  expect(await db.health()).toEqual({ status: 'ok' })
  await db.sql.close()
  await proxy[Symbol.asyncDispose]()
})

test('a server that is silent shows after a few seconds, and its connections are not used again', async () => {
  await using database = await migratedTestDatabase()
  await using proxy = await startFaultProxy(database.url)
  await using db = await openWatched(proxiedUrl(database.url, proxy), { maxLookMs: 200 })
  expect(await db.health()).toEqual({ status: 'ok' })
  // Statements would wait for 30 seconds.
  proxy.disturb({ type: 'black-hole', afterBytes: 0 })
  db.wait()
  expect(await db.health()).toMatchObject({ status: 'unreachable' })
  proxy.disturb({ type: 'none' })
  await expect
    .poll(() => {
      db.wait()
      return db.health()
    })
    .toEqual({ status: 'ok' })
  expect(await db.sql.read([{ sql: 'select 1 as one', sets: [[]] }])).toEqual([[{ one: 1 }]])
})

test('a server that does not respond shows soon, and only one connection waits for it', async () => {
  await using database = await migratedTestDatabase()
  let isSilent = false
  const silent = { type: 'black-hole', afterBytes: 0 } as const
  const proxy = await startFaultProxy(database.url, () => (isSilent ? silent : { type: 'none' }))
  const url = new URL(database.url)
  url.port = new URL(proxy.url).port
  const db = await openWatched(url.href, { maxLookMs: 100, connectTimeoutMs: 60_000 })
  expect(await db.health()).toEqual({ status: 'ok' })
  isSilent = true
  proxy.resetAll()
  const before = proxy.connectionCount
  for (let times = 0; times < 3; times += 1) {
    db.wait()
    expect(await db.health()).toMatchObject({ status: 'unreachable' })
  }
  expect(proxy.connectionCount).toBe(before + 1)
  isSilent = false
  proxy.resetAll()
  await expect
    .poll(() => {
      db.wait()
      return db.health()
    })
    .toEqual({ status: 'ok' })
  await db.sql.close()
  await proxy[Symbol.asyncDispose]()
})

test('after a full disk, each look tries to write until that works, and leaves nothing behind', async () => {
  await using database = await migratedTestDatabase()
  await using db = await openWatched(database.url)
  const fill = "do $$ begin raise exception 'no room' using errcode = 'disk_full'; end $$"
  expect(await db.sql.write([{ sql: fill, sets: [[]] }]).catch(error => error.code)).toBe('full')
  expect(await db.health()).toEqual({ status: 'ok' })
  const left = `select tablename as name from pg_tables where tablename like '%probe%'
    union all select statement from pg_prepared_statements where statement like '%probe%_%' and statement like 'do%'`
  expect(await db.sql.read([{ sql: left, sets: [[]] }])).toEqual([[]])
})

test('a database that is closed does not respond', async () => {
  await using database = await migratedTestDatabase()
  await using db = await openWatched(database.url)
  await db.sql.close()
  expect(await db.health()).toMatchObject({ status: 'closed', problem: expect.stringContaining('Restart') })
})
