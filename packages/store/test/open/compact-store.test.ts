import { readFile, stat, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { logName } from '@throughline/log'
import { saveHistory } from '@throughline/testing/store/save-history'
import { ada, adasChat, at, chatId } from '@throughline/testing/store/store-rows'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { measureStore } from '../../src/health/database-facts.ts'
import { compactStore } from '../../src/open/compact-store.ts'
import { openStore } from '../../src/open/open-store.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'

/** Fills the log of a removed chat, so that about 10 MB wait to be deleted. */
const removedEntries = `insert into log_entries (epoch, seq, run_id, message_id, chunk)
  with recursive counted (seq) as (select 1 union all select seq + 1 from counted where seq < 5000)
  select 'removed', seq, 'run', 'message', hex(zeroblob(1000)) from counted`

async function makeLarge(folder: string): Promise<void> {
  const sql = await openSqlite(`${folder}/throughline.sqlite`)
  await sql.write([
    { sql: removedEntries, sets: [[]] },
    { sql: "insert into log_removals (epoch, up_to) values ('removed', 5000)", sets: [[]] },
  ])
  await sql.close()
}

test('a compacted store has lost the deleted rows and no others, and its file is smaller', async () => {
  await using folder = await temporaryFolder()
  const store = await openStore(folder.path)
  await saveHistory(store, { ownerId: ada, chatId, count: 40 })
  const log = logName(adasChat)
  const { epoch } = await store.log.open(log)
  const entries = await store.log.read(log, { epoch, seq: 0 }, 100)
  const saved = await store.messages.load(adasChat)
  await store.close()
  await makeLarge(folder.path)

  const { before, after, contents, finishedRemovals } = await compactStore(folder.path)
  expect(before.databaseBytes + before.walBytes).toBeGreaterThan(10e6)
  expect(after).toEqual({ databaseBytes: expect.any(Number), freeBytes: 0, walBytes: 0 })
  expect(after.databaseBytes).toBeLessThan(1e6)
  expect((await stat(`${folder.path}/throughline.sqlite`)).size).toBe(after.databaseBytes)
  expect(contents).toEqual({ chats: 1, messages: 40, entries: 40 })
  expect(finishedRemovals).toBe(0)

  const again = await openStore(folder.path)
  expect(await again.log.read(log, { epoch, seq: 0 }, 100)).toEqual(entries)
  expect(await again.messages.load(adasChat)).toEqual(saved)
  await again.close()
})

test('the removal of a chat that was cut off is finished first', async () => {
  await using folder = await temporaryFolder()
  const store = await openStore(folder.path)
  await saveHistory(store, { ownerId: ada, chatId, count: 10 })
  await store.files.keep(adasChat, { mediaType: 'text/plain', bytes: Buffer.from('file'), at: at(0) })
  await store.close()
  const sql = await openSqlite(`${folder.path}/throughline.sqlite`)
  await sql.write([{ sql: 'update chats set removed_at = ?', sets: [[at(1)]] }])
  await sql.close()
  expect(await compactStore(folder.path)).toMatchObject({
    finishedRemovals: 1,
    contents: { chats: 0, messages: 0, entries: 0 },
  })
  await expect(stat(`${folder.path}/files/ada/chat`)).rejects.toMatchObject({ code: 'ENOENT' })
})

test('a file of an earlier version gives pages back by itself from then on', async () => {
  await using folder = await temporaryFolder()
  const path = `${folder.path}/throughline.sqlite`
  const old = new DatabaseSync(path)
  old.exec('pragma journal_mode = wal')
  old.close()
  await compactStore(folder.path)
  using database = new DatabaseSync(path)
  expect(database.prepare('pragma auto_vacuum').get()).toEqual({ auto_vacuum: 2 })
  expect(database.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
})

test('a store that is open cannot be compacted or measured', async () => {
  await using folder = await temporaryFolder()
  const store = await openStore(folder.path)
  await expect(compactStore(folder.path)).rejects.toMatchObject({ code: 'in-use' })
  await expect(measureStore(folder.path)).rejects.toMatchObject({ code: 'in-use' })
  await store.close()
})

test('damage that is found on the way is named with the path and what to do', async () => {
  await using folder = await temporaryFolder()
  const path = `${folder.path}/throughline.sqlite`
  const sql = await openSqlite(path)
  await sql.write([{ sql: removedEntries, sets: [[]] }])
  await sql.close()
  const bytes = await readFile(path)
  // Pages with entries in them. Nothing reads them when the database is opened. Many pages hold nothing but the rest of a
  // long chunk, where no byte can be wrong, so the damage is large enough to hit others too.
  bytes.fill(0xff, bytes.length / 2, bytes.length / 2 + 262_144)
  await writeFile(path, bytes)
  await expect(compactStore(folder.path)).rejects.toMatchObject({
    name: 'SqlError',
    code: 'damaged',
    message: `The database ${path} cannot be compacted: database disk image is malformed. Restore it from a backup.`,
  })
})

test('a store is measured without migrating it', async () => {
  await using folder = await temporaryFolder()
  const path = `${folder.path}/throughline.sqlite`
  const old = new DatabaseSync(path)
  old.exec('create table kept (bytes blob); insert into kept values (zeroblob(100000)); delete from kept')
  old.close()
  const bytes = await readFile(path)
  expect(await measureStore(folder.path)).toEqual({
    databaseBytes: bytes.length,
    freeBytes: expect.toSatisfy((free: number) => free > 90_000 && free < bytes.length),
    walBytes: 0,
  })
  expect((await readFile(path)).equals(bytes)).toBe(true)
})

test('an open store tells its sizes', async () => {
  await using folder = await temporaryFolder()
  const store = await openStore(folder.path)
  await saveHistory(store, { ownerId: ada, chatId, count: 10 })
  const { databaseBytes, walBytes, freeBytes } = await store.sizes()
  expect(databaseBytes).toBe((await stat(`${folder.path}/throughline.sqlite`)).size)
  expect(walBytes).toBeGreaterThan(0)
  expect(freeBytes).toBe(0)
  await store.close()
})
