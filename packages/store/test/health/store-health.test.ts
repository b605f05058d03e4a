import { copyFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { watchFiles, watchHealth } from '../../src/health/store-health.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'

const pragma = (text: string) => [{ sql: `pragma ${text}`, sets: [[]] }]
const makeTable = [{ sql: 'create table notes (text text)', sets: [[]] }]
const write = (bytes: number) => [{ sql: 'insert into notes values (?)', sets: [['x'.repeat(bytes)]] }]

test('a full disk shows after the first write that fails, until there is room again', async () => {
  await using db = await openWatched()
  await db.sql.write(makeTable)
  expect(await db.health()).toEqual({ status: 'ok' })
  await db.sql.read(pragma('max_page_count = 1'))
  await expect(db.sql.write(write(100_000))).rejects.toMatchObject({ code: 'full' })
  expect(await db.health()).toMatchObject({
    status: 'full',
    problem: `The disk of ${db.folder} is full (database or disk is full). Make room.`,
  })
  db.wait()
  expect(await db.health()).toMatchObject({ status: 'full' })
  await db.sql.read(pragma('max_page_count = 100000'))
  db.wait()
  expect(await db.health()).toEqual({ status: 'ok' })
  // The look has left nothing behind.
  const [rows] = await db.sql.read([
    { sql: "select name from sqlite_schema where name like '%probe%'", sets: [[]] },
  ])
  expect(rows).toEqual([])
})

test('a disk that became read-only shows, until it can be written again', async () => {
  await using db = await openWatched()
  await db.sql.read(pragma('query_only = on'))
  await expect(db.sql.write(makeTable)).rejects.toMatchObject({ code: 'unwritable' })
  expect(await db.health()).toMatchObject({ status: 'unwritable' })
  await db.sql.read(pragma('query_only = off'))
  db.wait()
  expect(await db.health()).toEqual({ status: 'ok' })
})

test('a look while nothing has failed writes nothing, and there is at most one in a second', async () => {
  await using db = await openWatched()
  await db.sql.read(pragma('query_only = on'))
  expect(await db.health()).toEqual({ status: 'ok' })
  await rm(db.path)
  expect(await db.health()).toEqual({ status: 'ok' })
  db.wait()
  expect(await db.health()).toMatchObject({ status: 'gone' })
})

test.each([
  ['deleted', (path: string) => rm(path)],
  ['moved', (path: string) => rename(path, `${path}.old`)],
  [
    'replaced',
    async (path: string) => {
      await copyFile(path, `${path}.new`)
      await rename(`${path}.new`, path)
    },
  ],
  ['left without its -wal file', (path: string) => rm(`${path}-wal`)],
])('a database file that was %s is named', async (_, change) => {
  await using db = await openWatched()
  await db.sql.write(makeTable)
  await change(db.path)
  expect(await db.health()).toMatchObject({ status: 'gone', problem: expect.stringContaining(db.path) })
})

test('a folder that was moved away and back is sound again', async () => {
  await using db = await openWatched()
  await rename(db.folder, `${db.folder}-away`)
  expect(await db.health()).toMatchObject({ status: 'gone' })
  await rename(`${db.folder}-away`, db.folder)
  db.wait()
  expect(await db.health()).toEqual({ status: 'ok' })
})

test('a database that is closed does not respond', async () => {
  await using db = await openWatched()
  await db.sql.close()
  expect(await db.health()).toMatchObject({ status: 'closed', problem: expect.stringContaining('Restart') })
})

/** Opens a database whose health is watched. `wait` lets a second pass. */
async function openWatched() {
  const folder = await temporaryFolder()
  const path = join(folder.path, 'test.sqlite')
  const sql = await openSqlite(path)
  let ms = 0
  const files = await watchFiles([path, `${path}-wal`])
  const health = watchHealth(sql, { folder: folder.path, files, now: () => ms })
  return {
    sql,
    health,
    path,
    folder: folder.path,
    wait: () => {
      ms += 1_000
    },
    async [Symbol.asyncDispose]() {
      await sql.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}
