import type { FreshDatabase } from '@throughline/testing/postgres/fresh-database'
import { testDatabase } from '@throughline/testing/postgres/test-database'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Cell, QueryLimits } from '../../src/databases/database.ts'
import { openPostgresDatabase } from '../../src/databases/postgres-database.ts'

let fresh: FreshDatabase
let url = ''
let role = ''

beforeAll(async () => {
  fresh = await testDatabase()
  role = `reader_${crypto.randomUUID().slice(0, 8)}`
  await asOwner(`
    create role ${role} login password 'secret';
    create table orders (id integer primary key, customer text not null, total numeric default 0, scan bytea, paid boolean);
    create table items (id bigint primary key, order_id integer not null references orders (id));
    create table salaries (name text);
    comment on table orders is 'What people have bought.';
    insert into orders values (1, 'Ann', 12.5, '\\x00ff00', true), (2, 'Ben', 250, null, null);
    grant select, insert, update, delete on orders, items to ${role};`)
  const address = new URL(fresh.url)
  address.username = role
  address.password = 'secret'
  url = address.href
})
afterAll(async () => {
  await asOwner(`drop owned by ${role}; drop role ${role}`)
  await fresh[Symbol.asyncDispose]()
})

async function asOwner(sql: string): Promise<void> {
  const client = new Client({ connectionString: fresh.url })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}

function shop(limits: Partial<QueryLimits> = {}, address = url) {
  const database = openPostgresDatabase(address, {
    maxRows: 100,
    maxBytes: 40_000,
    timeoutMs: 10_000,
    ...limits,
  })
  const select = (sql: string, ...params: readonly Cell[]) => database.select({ sql, params }, undefined)
  return { database, select }
}

describe('a query', () => {
  test('returns rows with its parameters in their places, and says what a blob is', async () => {
    const { select } = shop()
    expect(await select('select * from orders where id <= $1 order by id;', 2)).toEqual({
      columns: ['id', 'customer', 'total', 'scan', 'paid'],
      rows: [
        [1, 'Ann', '12.5', '(blob, 3 bytes)', true],
        [2, 'Ben', '250', null, null],
      ],
    })
    expect((await select('select $1::text', "'; drop table orders; --")).rows).toEqual([
      ["'; drop table orders; --"],
    ])
    expect((await select('with x as (select 9007199254740993) select * from x -- why')).rows).toEqual([
      ['9007199254740993'],
    ])
  })

  test('is limited in rows and in bytes', async () => {
    const many = 'with recursive n(i) as (select 1 union all select i + 1 from n) select i from n'
    expect(await shop({ maxRows: 2 }).select(many)).toMatchObject({ rows: [[1], [2]], cut: 'maxRows' })
    const wide = await shop({ maxBytes: 5_000 }).select("select repeat('x', 1500) from generate_series(1, 9)")
    expect(wide).toMatchObject({ cut: 'maxBytes', rows: { length: 3 } })
  })

  test('is ended when it sends too much', async () => {
    const much = "select repeat('x', 20000000) from generate_series(1, 90)"
    await expect(shop().select(much)).rejects.toMatchObject({ code: 'too-large' })
  })

  test('is ended when it takes too long, and when its run is stopped', async () => {
    await expect(shop({ timeoutMs: 200 }).select('select pg_sleep(60)')).rejects.toMatchObject({
      code: 'too-slow',
    })
    const longer = "select set_config('statement_timeout', '0', true), pg_sleep(60)"
    await expect(shop({ timeoutMs: 200 }).select(longer)).rejects.toMatchObject({ code: 'too-slow' })
    const stop = new AbortController()
    const asked = shop().database.select({ sql: 'select pg_sleep(9)', params: [] }, stop.signal)
    stop.abort(new Error('Stopped.'))
    await expect(asked).rejects.toThrow('Stopped.')
  })

  test('leaves nothing behind in a session', async () => {
    const { select } = shop()
    await select("select set_config('application_name', 'left', false), pg_advisory_lock(7)")
    const [[name, locks] = []] = (
      await select(`select current_setting('application_name'),
        (select count(*)::int from pg_locks where locktype = 'advisory' and pid <> pg_backend_pid()
          and database = (select oid from pg_database where datname = current_database())
          and objid = 7 and pid in (select pid from pg_stat_activity where state = 'idle'))`)
    ).rows
    expect([name, locks]).toEqual(['', 0])
  })
})

describe('Postgres refuses what does more than read:', () => {
  test.each([
    ["insert into orders (id, customer) values (9, 'Eve')"],
    ['delete from orders'],
    ['with x as (delete from orders returning 1) select * from x'],
    ['select nextval(pg_get_serial_sequence($$orders$$, $$id$$)), lo_create(0)'],
    ['create table x (y int)'],
    ['select * into x from orders'],
    ['set transaction read write'],
    ["select set_config('transaction_read_only', 'off', true)"],
    ['commit'],
    ['select 1; delete from orders'],
    ['select 1) x; delete from orders'],
    ['do $$ begin delete from orders; end $$'],
    ["copy orders to '/tmp/x'"],
    ["copy (select 1) to program 'touch /tmp/x'"],
    ["select pg_read_file('/etc/passwd')"],
    [
      "select set_config('role', 'postgres', true), query_to_xml('select pg_read_file(''/etc/passwd'')', true, true, '')",
    ],
    ['select * from salaries'],
    ['select * from orders for update'],
    ['listen x'],
    ['explain analyze delete from orders'],
    [''],
  ])('%s', async sql => {
    const { select } = shop()
    await expect(select(sql)).rejects.toMatchObject({ code: 'refused' })
    expect((await select('select count(*) from orders')).rows).toEqual([[2]])
  })
})

test('a role that may do everything is refused before its statement', async () => {
  const { select, database } = shop({}, fresh.url)
  await expect(select('select 1')).rejects.toMatchObject({ code: 'refused', message: /role of its own/ })
  const write = { sql: 'delete from orders', params: [] }
  await expect(database.write(write, undefined)).rejects.toMatchObject({ code: 'refused' })
})

test('a database that cannot be reached says nothing about its address', async () => {
  const away = shop({}, 'postgres://reader:secret-word@127.0.0.1:1/shop')
  const error = await away.select('select 1').catch(each => each)
  expect(error).toMatchObject({ code: 'unreachable' })
  expect(error.message).not.toMatch(/127\.0\.0\.1|secret|reader/)
})

test('the catalog shows what the role may read', async () => {
  const { database, select } = shop()
  expect((await select(database.catalog.tables, '')).rows).toEqual([
    ['public', 'items', 'table', null],
    ['public', 'orders', 'table', 'What people have bought.'],
  ])
  expect((await select(database.catalog.tables, 'ORD')).rows).toHaveLength(1)
  expect((await select(database.catalog.columns, 'public.orders')).rows.slice(0, 3)).toEqual([
    ['id', 'integer', true, null, null],
    ['customer', 'text', true, null, null],
    ['total', 'numeric', false, '0', null],
  ])
  expect((await select(database.catalog.constraints, 'items')).rows.flat()).toEqual(
    expect.arrayContaining(['PRIMARY KEY (id)', 'FOREIGN KEY (order_id) REFERENCES orders(id)']),
  )
  expect((await select(database.catalog.columns, 'salaries')).rows).toEqual([])
})

test('a write changes rows and says how many, and only one statement', async () => {
  const { database, select } = shop()
  const insert = { sql: 'insert into items values ($1, $2)', params: [1, 2] }
  expect(await database.write(insert, undefined)).toBe(1)
  expect((await select('select * from items')).rows).toEqual([[1, 2]])
  const two = { sql: 'delete from items; delete from orders', params: [] }
  await expect(database.write(two, undefined)).rejects.toMatchObject({ code: 'refused' })
  expect((await select('select count(*) from items')).rows).toEqual([[1]])
})
