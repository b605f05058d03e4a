import { startFaultProxy } from '@throughline/testing/faults/fault-proxy'
import { migratedTestDatabase } from '@throughline/testing/postgres/test-database'
import { expect, test } from 'vitest'
import type { Sql } from '../../src/database/sql.ts'
import { openPostgres, type PostgresSql } from '../../src/postgres/open-postgres.ts'
import type { PostgresOptions } from '../../src/postgres/postgres-options.ts'
import { createPostgresTexts } from '../../src/postgres/postgres-text.ts'

/** A database with one table of numbers. */
async function openNumbers(options: PostgresOptions = {}) {
  const database = await migratedTestDatabase()
  const sql = await openPostgres(database.url, options)
  await sql.write([{ sql: 'create table numbers (value bigint primary key)', sets: [[]] }])
  return {
    sql,
    url: database.url,
    async [Symbol.asyncDispose]() {
      await sql.close()
      await database[Symbol.asyncDispose]()
    },
  }
}

const insert = (...values: number[]) => ({
  sql: 'insert into numbers (value) values (?)',
  sets: values.map(value => [value]),
})
const select = { sql: 'select value from numbers order by value', sets: [[]] }
const change = (from: number, to: number) => ({
  sql: 'update numbers set value = ? where value = ?',
  sets: [[to, from]],
  mustChange: true,
})

/** A statement that waits while somebody holds the gate. */
const passGate = { sql: 'select pg_advisory_xact_lock_shared(1) is null as gate', sets: [[]] }

/** Holds the gate until the returned function is called. */
async function holdGate({ pool }: PostgresSql): Promise<() => Promise<void>> {
  const holder = await pool.connect()
  await holder.query('select pg_advisory_lock(1)')
  return async () => {
    await holder.query('select pg_advisory_unlock(1)')
    holder.release()
  }
}

async function numbersIn(sql: Sql): Promise<unknown[]> {
  const [rows = []] = await sql.read([select])
  return rows.map(row => row['value'])
}

test('of writes that come together, one that fails takes no other with it', async () => {
  await using context = await openNumbers()
  const { sql } = context
  await sql.write([insert(1, 2)])
  const results = await Promise.allSettled([
    sql.write([insert(3), insert(2)]),
    sql.write([insert(4), { sql: 'nonsense', sets: [[]] }]),
    sql.write([insert(5)]),
  ])
  expect(results).toMatchObject([
    { reason: { code: 'constraint' } },
    { reason: { code: 'failed' } },
    { status: 'fulfilled' },
  ])
  expect(await numbersIn(sql)).toEqual([1, 2, 5])
})

test('a statement that had to change a row and did not undoes its whole transaction', async () => {
  await using context = await openNumbers()
  const { sql } = context
  await sql.write([insert(1)])
  const refused = sql.write([insert(2), change(3, 30), insert(4)])
  await expect(refused).rejects.toMatchObject({ name: 'SqlError', code: 'no-effect' })
  await expect(sql.write([change(3, 30)])).rejects.toMatchObject({ code: 'no-effect' })
  expect(await numbersIn(sql)).toEqual([1])
  expect(await sql.write([insert(2), change(2, 20)])).toEqual([[], []])
  expect(await numbersIn(sql)).toEqual([1, 20])
})

test('a statement that had to select or return rows does so, or undoes its transaction', async () => {
  await using context = await openNumbers()
  const { sql } = context
  await sql.write([insert(1, 2)])
  const found = { sql: 'select value from numbers where value > ? order by value', mustChange: true }
  const removed = { sql: 'delete from numbers where value = ? returning value', mustChange: true }
  expect(
    await sql.write([
      { ...found, sets: [[0]] },
      { ...removed, sets: [[2]] },
    ]),
  ).toEqual([[{ value: 1 }, { value: 2 }], [{ value: 2 }]])
  for (const statement of [found, removed])
    await expect(sql.write([insert(7), { ...statement, sets: [[9]] }])).rejects.toMatchObject({
      code: 'no-effect',
    })
  expect(await numbersIn(sql)).toEqual([1])
})

test('a statement returns the rows of all its sets, in order, with numbers as numbers', async () => {
  await using context = await openNumbers()
  const statement = {
    sql: 'insert into numbers (value) values (?) returning value * 2 as double',
    sets: [[3], [1]],
  }
  const sum = { sql: "select sum(value) as sum, '?' as mark from numbers", sets: [[]] }
  expect(await context.sql.write([statement, select, sum])).toEqual([
    [{ double: 6 }, { double: 2 }],
    [{ value: 1 }, { value: 3 }],
    [{ sum: 4, mark: '?' }],
  ])
})

test('all statements of a read see the same state, whatever is written meanwhile', async () => {
  await using context = await openNumbers()
  const { sql } = context
  let value = 0
  let isDone = false
  const writer = (async () => {
    while (!isDone) {
      value += 1
      await sql.write([insert(value)])
    }
  })()
  const count = { sql: 'select count(*) as n from numbers', sets: [[]] }
  const pause = { sql: 'select pg_sleep(0.005)', sets: [[]] }
  for (let look = 0; look < 20; look += 1) {
    const [before, , after] = await sql.read([count, pause, count])
    expect(after).toEqual(before)
  }
  isDone = true
  await writer
  expect(value).toBeGreaterThan(20)
})

test('a read cannot write', async () => {
  await using context = await openNumbers()
  await expect(context.sql.read([insert(1), select])).rejects.toMatchObject({ code: 'unwritable' })
})

test('transactions that block each other all take effect', async () => {
  await using context = await openNumbers()
  const { sql } = context
  await sql.write([insert(1, 2)])
  const touch = (value: number) => ({
    sql: 'update numbers set value = value where value = ?',
    sets: [[value]],
  })
  const pause = { sql: 'select pg_sleep(0.2)', sets: [[]] }
  const orders = [
    [1, 2],
    [2, 1],
  ]
  await Promise.all(orders.map(([first = 0, second = 0]) => sql.write([touch(first), pause, touch(second)])))
})

test('a table that another program has changed is read as it is now', async () => {
  await using context = await openNumbers()
  const other = await openPostgres(context.url)
  const all = { sql: 'select * from numbers', sets: [[]] }
  await context.sql.write([insert(1)])
  // Every connection of the pool has prepared the statement.
  const read = () => Promise.all(Array.from({ length: 20 }, () => context.sql.read([all])))
  await read()
  await other.write([{ sql: "alter table numbers add column name text not null default ''", sets: [[]] }])
  await other.close()
  for (const [rows] of await read()) expect(rows).toEqual([{ value: 1, name: '' }])
})

test('each generation of texts is prepared anew, also by a pooler that compares texts', async () => {
  const statement = { sql: 'select * from numbers where value = ?' }
  const [first, again, next] = [0, 0, 1].map(generation => createPostgresTexts(generation)(statement))
  expect(again).toEqual(first)
  expect(next?.text).toMatch(/^select \* from numbers where value = \$1 /)
  expect(next?.text).not.toBe(first?.text)
  expect(next?.name).not.toBe(first?.name)
})

test('text that Postgres cannot store is stored without the character that it cannot', async () => {
  await using context = await openNumbers()
  const echo = { sql: 'select cast(? as text) as text', sets: [['a\0b']] }
  expect(await context.sql.read([echo])).toEqual([[{ text: 'a\uFFFDb' }]])
})

test('a write whose connection breaks is unconfirmed, and the next one works', async () => {
  await using context = await openNumbers()
  await using proxy = await startFaultProxy(context.url)
  const { port } = new URL(proxy.url)
  const url = new URL(context.url)
  url.port = port
  const sql = await openPostgres(url.href)
  const letGo = await holdGate(context.sql)
  const slow = sql.write([insert(1), passGate])
  const alone = sql.write([passGate])
  const lost = Promise.allSettled([slow, alone])
  await expect.poll(() => activeIn(context.sql)).toBe(2)
  proxy.resetAll()
  await letGo()
  expect(await lost).toMatchObject([{ reason: { code: 'unconfirmed' } }, { reason: { code: 'unconfirmed' } }])
  await sql.write([insert(2)])
  expect(await numbersIn(sql)).toContain(2)
  await sql.close()
})

test('a read whose connection breaks is repeated on another one', async () => {
  await using context = await openNumbers()
  await using proxy = await startFaultProxy(context.url)
  const url = new URL(context.url)
  url.port = new URL(proxy.url).port
  const sql = await openPostgres(url.href)
  const letGo = await holdGate(context.sql)
  const read = sql.read([passGate, { sql: 'select 1 as one', sets: [[]] }])
  await expect.poll(() => activeIn(context.sql)).toBe(1)
  proxy.resetAll()
  await letGo()
  expect(await read).toMatchObject([[{}], [{ one: 1 }]])
  await sql.close()
})

test('a server that does not respond any more is given up after the time limit', async () => {
  await using context = await openNumbers()
  await using proxy = await startFaultProxy(context.url, () => ({ type: 'black-hole', afterBytes: 30_000 }))
  const url = new URL(context.url)
  url.port = new URL(proxy.url).port
  const sql = await openPostgres(url.href, { maxConnections: 1, statementTimeoutMs: 300 })
  const results = await Promise.allSettled(
    Array.from({ length: 200 }, (_, value) => sql.write([insert(1_000 + value), select])),
  )
  const codes = results.flatMap(result => (result.status === 'rejected' ? [result.reason.code] : []))
  expect(codes.length).toBeGreaterThan(0)
  for (const code of codes) expect(['unconfirmed', 'unreachable']).toContain(code)
  await sql.close()
})

test('close waits for what was asked for before it, and refuses what comes after', async () => {
  await using context = await openNumbers({ maxConnections: 1 })
  const { sql, url } = context
  const before = [1, 2, 3].map(value => sql.write([insert(value)]))
  const closed = sql.close()
  const after = expect(sql.write([insert(9)])).rejects.toMatchObject({ code: 'closed' })
  await Promise.all(before)
  await closed
  await after
  await expect(sql.read([select])).rejects.toMatchObject({ code: 'closed' })
  await sql.close()
  const again = await openPostgres(url)
  expect(await numbersIn(again)).toEqual([1, 2, 3])
  await again.close()
})

test.each([
  ['password', (url: URL) => (url.password = 'geheim'), 'does not let the user "postgres" in'],
  ['database', (url: URL) => (url.pathname = '/missing'), 'has no database "missing". Create it: createdb'],
  ['port', (url: URL) => (url.port = '1'), 'Nothing listens on 127.0.0.1:1.'],
  ['host', (url: URL) => (url.hostname = 'host.invalid'), 'There is no host host.invalid.'],
])('a wrong %s is a named error that says what to do, without the password', async (_, spoil, message) => {
  await using database = await migratedTestDatabase()
  const url = new URL(database.url)
  const { password } = url
  spoil(url)
  const error = await openPostgres(url.href).catch(error => error)
  expect(error).toMatchObject({
    name: 'SqlError',
    code: 'unreachable',
    message: expect.stringContaining(message),
  })
  expect(error.message).not.toContain(url.password)
  if (password !== '') expect(error.message).not.toContain(password)
})

/** Returns how many other connections run a statement now. */
async function activeIn(sql: Sql): Promise<number> {
  const [rows = []] = await sql.read([
    {
      sql: `select count(*) as n from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and query like '%pg_advisory_xact_lock_shared%' and state = 'active'`,
      sets: [[]],
    },
  ])
  return Number(rows[0]?.['n'])
}
