import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Cell, QueryLimits } from '../../src/databases/database.ts'
import { openSqliteDatabase } from '../../src/databases/sqlite-database.ts'
import { runSqliteJob } from '../../src/databases/sqlite-job.ts'

const schema = `
  create table orders (id integer primary key, customer text not null, total real default 0, scan blob);
  create table items (id integer primary key, order_id integer not null references orders (id));
  create view large_orders as select * from orders where total > 100;
  create virtual table notes using fts5 (body);
  insert into orders values (1, 'Ann', 12.5, x'00ff00'), (2, 'Ben', 250, null), (3, 'Cem', 9007199254740993, null);
  insert into notes values ('Deliver to the back door.');
  pragma journal_mode = wal;`

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let path = ''

beforeAll(async () => {
  folder = await temporaryFolder()
  path = join(folder.path, 'shop.db')
  using database = new DatabaseSync(path)
  database.exec(schema)
})
afterAll(() => folder[Symbol.asyncDispose]())

function shop(limits: Partial<QueryLimits> = {}) {
  const database = openSqliteDatabase(path, { maxRows: 100, maxBytes: 40_000, timeoutMs: 10_000, ...limits })
  const select = (sql: string, ...params: readonly Cell[]) => database.select({ sql, params }, undefined)
  return { database, select }
}

describe('a query', () => {
  test('returns rows with its parameters in their places, and says what a blob is', async () => {
    expect(await shop().select('select * from orders where id <= ?1', 2)).toEqual({
      columns: ['id', 'customer', 'total', 'scan'],
      rows: [
        [1, 'Ann', 12.5, '(blob, 3 bytes)'],
        [2, 'Ben', 250, null],
      ],
    })
  })

  test('takes a parameter as a value, whatever is in it', async () => {
    expect(await shop().select('select ?1 as x, ?2 as y', "'; drop table orders; --", true)).toEqual({
      columns: ['x', 'y'],
      rows: [["'; drop table orders; --", 1]],
    })
  })

  test('works on views and full-text tables, and with recursion', async () => {
    const { select } = shop()
    expect((await select('select customer from large_orders order by 1')).rows).toEqual([['Ben'], ['Cem']])
    expect((await select("select body from notes where notes match 'back'")).rows).toHaveLength(1)
    const count = 'with recursive n(i) as (select 1 union all select i + 1 from n limit 3) select * from n'
    expect((await select(count)).rows).toEqual([[1], [2], [3]])
  })

  test('keeps a large whole number to the digit, as a text', async () => {
    expect((await shop().select('select 9007199254740993')).rows).toEqual([['9007199254740993']])
  })

  test('is limited in rows, in bytes, and in the text of one cell', async () => {
    const many = 'with recursive n(i) as (select 1 union all select i + 1 from n) select i from n'
    expect(await shop({ maxRows: 2 }).select(many)).toMatchObject({ rows: [[1], [2]], cut: 'maxRows' })
    const wide = await shop({ maxBytes: 5_000 }).select(`select printf('%1500s', 'x') from (${many} limit 9)`)
    expect(wide).toMatchObject({ cut: 'maxBytes', rows: { length: 3 } })
    const [[cell] = []] = (await shop().select("select printf('%5000s', 'x')")).rows
    expect(cell).toSatisfy((text: string) => text.length < 2_100 && text.endsWith('… (5000 characters)'))
  })

  test('is ended when it takes too long, and the next one works', async () => {
    const endless = 'with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n'
    await expect(shop({ timeoutMs: 300 }).select(endless)).rejects.toMatchObject({ code: 'too-slow' })
    expect((await shop().select('select 1')).rows).toEqual([[1]])
  })

  test('is ended when its run is stopped', async () => {
    const stop = new AbortController()
    const endless = 'with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n'
    const asked = shop({ timeoutMs: 60_000 }).database.select({ sql: endless, params: [] }, stop.signal)
    stop.abort(new Error('Stopped.'))
    await expect(asked).rejects.toThrow('Stopped.')
  })
})

describe('SQLite refuses what does more than read this database:', () => {
  test.each([
    ["insert into orders (customer) values ('Eve')"],
    ['update orders set total = 0'],
    ['delete from orders returning id'],
    ['with x as (select 1) delete from orders'],
    ['drop table orders'],
    ['create table x (y)'],
    ['create temp table x (y)'],
    ['alter table orders add column x'],
    ["attach '/etc/passwd' as x"],
    ["attach ':memory:' as x"],
    ['vacuum'],
    ["vacuum into 'FOLDER/copy.db'"],
    ['pragma query_only = off'],
    ['pragma writable_schema = on'],
    ['pragma journal_mode = delete'],
    ["pragma temp_store_directory = '/tmp'"],
    ["select load_extension('x')"],
    ['begin immediate'],
    ['savepoint x'],
    ['commit'],
    ['reindex'],
    ['analyze'],
    ['create virtual table x using fts5 (y)'],
    ["insert into notes (notes) values ('rebuild')"],
    ['select 1; delete from orders'],
    ["select * from pragma_journal_mode('delete')"],
    ['select * from no_such_table'],
    ['this is no SQL'],
    [''],
  ])('%s', sql => {
    expect(run(sql.replace('FOLDER', folder.path))).toMatchObject({ type: 'refused' })
    expect(run('select count(*) from orders')).toMatchObject({ rows: { rows: [[3]] } })
    expect(existsSync(join(folder.path, 'copy.db'))).toBe(false)
  })
})

describe('the catalog', () => {
  test('lists tables and views, also by a part of their names', async () => {
    const { database, select } = shop()
    const names = (rows: readonly (readonly Cell[])[]) => rows.map(([name]) => name)
    expect(names((await select(database.catalog.tables, '')).rows)).toEqual(
      expect.arrayContaining(['items', 'large_orders', 'notes', 'orders']),
    )
    expect(names((await select(database.catalog.tables, 'ITEM')).rows)).toEqual(['items'])
  })

  test('describes the columns of a table and what it refers to', async () => {
    const { database, select } = shop()
    expect((await select(database.catalog.columns, 'orders')).rows).toEqual([
      ['id', 'INTEGER', 0, null, 1],
      ['customer', 'TEXT', 1, null, 0],
      ['total', 'REAL', 0, '0', 0],
      ['scan', 'BLOB', 0, null, 0],
    ])
    expect((await select(database.catalog.constraints, 'items')).rows).toEqual([
      ['order_id references orders(id)'],
    ])
  })
})

describe('a write', () => {
  test('changes rows and says how many', async () => {
    const write = { sql: 'update items set order_id = ?1 where id = 99', params: [2] }
    expect(await shop().database.write(write, undefined)).toBe(0)
    const insert = { sql: 'insert into items (order_id) values (?1), (?2)', params: [1, 2] }
    expect(await shop().database.write(insert, undefined)).toBe(2)
    expect((await shop().select('select count(*) from items')).rows).toEqual([[2]])
  })

  test.each([
    ['drop table items'],
    ["attach 'x' as y"],
    ["vacuum into 'x'"],
    ['pragma user_version = 9'],
    ['begin'],
    ['insert into items (order_id) values (77)'],
  ])('is refused when it changes more than rows, or breaks a rule: %s', sql => {
    expect(run(sql, true)).toMatchObject({ type: 'refused' })
  })

  test('is refused in words that the model can use', async () => {
    const insert = { sql: 'insert into items (order_id) values (77)', params: [] }
    await expect(shop().database.write(insert, undefined)).rejects.toMatchObject({
      code: 'refused',
      message: 'SQLite: FOREIGN KEY constraint failed',
    })
  })
})

/** Runs a statement in this process. It is what the other process does. */
function run(sql: string, isWrite = false) {
  return runSqliteJob({ path, sql, params: [], isWrite, maxRows: 100, maxBytes: 40_000, timeoutMs: 1_000 })
}
