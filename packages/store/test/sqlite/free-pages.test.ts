import { stat } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { FreePages } from '../../src/sqlite/chores.ts'
import { openDatabase } from '../../src/sqlite/open-database.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'
import { inlineThread } from './inline-thread.ts'

const fill = `insert into log_entries (epoch, seq, run_id, message_id, chunk)
  with recursive counted (seq) as (select 1 union all select seq + 1 from counted where seq < 2000)
  select 'epoch', seq, 'run', 'message', hex(zeroblob(1000)) from counted`
const options = { minFreePages: 100, keptFreePages: 10, sliceMs: 0 }

function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`pragma ${name}`).get()?.[name])
}

function giveBackAll(database: DatabaseSync, pages: FreePages): number {
  let slices = 0
  for (; pages.isWaiting; slices += 1) {
    database.exec('begin immediate')
    pages.giveBack()
    database.exec('commit')
  }
  return slices
}

test('a file with many free pages gets shorter in slices, and keeps its rows', async () => {
  await using folder = await temporaryFolder()
  const path = `${folder.path}/test.sqlite`
  using database = openDatabase(path)
  database.exec(fill)
  database.exec('delete from log_entries where seq <= 1500')
  database.exec('pragma wal_checkpoint(truncate)')
  const { size } = await stat(path)
  const pages = new FreePages(database, options)
  expect(pages.isWaiting).toBe(false)
  pages.look()
  expect(giveBackAll(database, pages)).toBeGreaterThan(10)
  pages.shortenFile()
  expect((await stat(path)).size).toBeLessThan(size / 2)
  expect(pragma(database, 'freelist_count')).toBeLessThanOrEqual(options.keptFreePages)
  expect(
    database.prepare('select count(*) as n, sum(length(chunk)) as length from log_entries').get(),
  ).toEqual({ n: 500, length: 1_000_000 })
  expect(database.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }])
})

test('free pages that are few, or a small share of the file, are kept for new rows', async () => {
  await using folder = await temporaryFolder()
  using database = openDatabase(`${folder.path}/test.sqlite`)
  database.exec(fill)
  database.exec('delete from log_entries where seq <= 400')
  const pages = new FreePages(database, options)
  pages.look()
  expect(pragma(database, 'freelist_count')).toBeGreaterThan(options.minFreePages)
  expect(pages.isWaiting).toBe(false)
  database.exec('delete from log_entries where seq <= 1500')
  const patient = new FreePages(database)
  patient.look()
  expect(patient.isWaiting).toBe(false)
})

test('a file of an earlier version, which cannot give pages back, works as before', async () => {
  await using folder = await temporaryFolder()
  const path = `${folder.path}/test.sqlite`
  const old = new DatabaseSync(path)
  old.exec('pragma journal_mode = wal')
  old.close()
  using database = openDatabase(path)
  expect(pragma(database, 'auto_vacuum')).toBe(0)
  database.exec(fill)
  database.exec('delete from log_entries')
  const pages = new FreePages(database, options)
  pages.look()
  expect(pages.isWaiting).toBe(false)
})

test('after the removal of a log, pages are given back without waiting for a quiet moment', async () => {
  await using folder = await temporaryFolder()
  using database = openDatabase(`${folder.path}/test.sqlite`)
  database.exec(fill)
  database.exec("insert into log_removals (epoch, up_to) values ('epoch', 2000)")
  const { commits } = inlineThread(database, options)
  // No timer can fire in between.
  for (let slice = 0; slice < 200; slice += 1) commits.drain()
  expect(pragma(database, 'freelist_count')).toBeLessThanOrEqual(options.keptFreePages)
  expect(pragma(database, 'page_count')).toBeLessThan(100)
  commits.close()
})

test('an open database gives back what was deleted, without being asked', async () => {
  await using folder = await temporaryFolder()
  const path = `${folder.path}/test.sqlite`
  const database = await openSqlite(path)
  // 20 MB, which is more than what is kept for new rows.
  const sets = Array.from({ length: 20 }, (_, chat) => [`epoch-${chat}`])
  await database.write([{ sql: fill.replace("'epoch'", '?').replace('1000', '500'), sets }])
  await database.write([{ sql: 'delete from log_entries', sets: [[]] }])
  await expect.poll(async () => (await stat(path)).size).toBeLessThan(6e6)
  expect((await stat(path)).size).toBeGreaterThan(4e6)
  await database.close()
})
