import { mkdir } from 'node:fs/promises'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import type { Sql } from '../../src/database/sql.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'

/** A database with one table of numbers. */
async function openNumbers(): Promise<{ sql: Sql; path: string } & AsyncDisposable> {
  const folder = await temporaryFolder()
  const path = `${folder.path}/test.sqlite`
  const sql = await openSqlite(path)
  await sql.write([{ sql: 'create table numbers (value integer primary key)', sets: [[]] }])
  return {
    sql,
    path,
    async [Symbol.asyncDispose]() {
      await sql.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

const insert = (...values: number[]) => ({
  sql: 'insert into numbers (value) values (?)',
  sets: values.map(value => [value]),
})
const select = { sql: 'select value from numbers order by value', sets: [[]] }

async function numbersIn(sql: Sql): Promise<unknown[]> {
  const [rows = []] = await sql.read([select])
  return rows.map(row => row['value'])
}

test('of writes that come together, one that fails takes no other with it', async () => {
  await using context = await openNumbers()
  const { sql } = context
  const results = await Promise.allSettled([
    sql.write([insert(1, 2)]),
    sql.write([insert(3), insert(2)]),
    sql.write([insert(4), { sql: 'nonsense', sets: [[]] }]),
    sql.write([insert(5)]),
  ])
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled'])
  expect(results).toMatchObject([{}, { reason: { code: 'constraint' } }, { reason: { code: 'failed' } }, {}])
  expect(await numbersIn(sql)).toEqual([1, 2, 5])
})

test('a statement that had to change a row and did not undoes its whole transaction', async () => {
  await using context = await openNumbers()
  const { sql } = context
  const change = { sql: 'update numbers set value = ? where value = ?', mustChange: true }
  await sql.write([insert(1)])
  const refused = sql.write([insert(2), { ...change, sets: [[30, 3]] }, insert(4)])
  await expect(refused).rejects.toMatchObject({ name: 'SqlError', code: 'no-effect' })
  expect(await numbersIn(sql)).toEqual([1])
  await sql.write([
    insert(2),
    {
      ...change,
      sets: [
        [30, 3],
        [20, 2],
      ],
    },
  ])
  expect(await numbersIn(sql)).toEqual([1, 20])
})

test('a read sees every write that was asked for before it', async () => {
  await using context = await openNumbers()
  const { sql } = context
  const reads = [1, 2, 3, 4, 5].map(value => {
    void sql.write([insert(value)])
    return numbersIn(sql)
  })
  for (const [index, numbers] of (await Promise.all(reads)).entries())
    expect(numbers).toEqual(expect.arrayContaining([1, 2, 3, 4, 5].slice(0, index + 1)))
})

test('a statement answers the rows of all its sets, in order', async () => {
  await using context = await openNumbers()
  const statement = {
    sql: 'insert into numbers (value) values (?) returning value * 2 as double',
    sets: [[3], [1]],
  }
  expect(await context.sql.write([statement, select])).toEqual([
    [{ double: 6 }, { double: 2 }],
    [{ value: 1 }, { value: 3 }],
  ])
})

test('close waits for what was asked for before it, and refuses what comes after', async () => {
  await using context = await openNumbers()
  const { sql, path } = context
  const before = sql.write([insert(1)])
  const closed = sql.close()
  const after = expect(sql.write([insert(2)])).rejects.toMatchObject({ code: 'closed' })
  await before
  await closed
  await after
  await expect(sql.read([select])).rejects.toMatchObject({ code: 'closed' })
  await sql.close()
  const again = await openSqlite(path)
  expect(await numbersIn(again)).toEqual([1])
  await again.close()
})

test('a database that cannot be opened is a named error, with its path', async () => {
  await using folder = await temporaryFolder()
  await mkdir(`${folder.path}/folder.sqlite`)
  for (const path of [`${folder.path}/missing/test.sqlite`, `${folder.path}/folder.sqlite`])
    await expect(openSqlite(path)).rejects.toMatchObject({
      name: 'SqlError',
      code: 'unwritable',
      message: expect.stringContaining(path),
    })
})
