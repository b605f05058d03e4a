import fs from 'node:fs'
import { copyFile, readFile, stat, writeFile } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { DatabaseSync } from 'node:sqlite'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { migrations } from '../../src/database/migrations.ts'
import { openDatabase } from '../../src/sqlite/open-database.ts'

function appliedIn(database: DatabaseSync): unknown[] {
  return database.prepare('select version, name from migrations order by version').all()
}

const all = migrations.map(({ name }, index) => ({ version: index + 1, name }))

test('a fresh file gets every migration once, and opening it again changes nothing', async () => {
  await using folder = await temporaryFolder()
  const path = `${folder.path}/test.sqlite`
  const first = openDatabase(path)
  expect(appliedIn(first)).toEqual(all)
  first.exec("insert into logs (name, epoch, fence, seq) values ('ada/chat', 'epoch', 1, 0)")
  first.close()
  const again = openDatabase(path)
  expect(appliedIn(again)).toEqual(all)
  expect(again.prepare('select name from logs').all()).toEqual([{ name: 'ada/chat' }])
  again.close()
})

test('the file survives a power cut, and rows keep to their foreign keys', async () => {
  await using folder = await temporaryFolder()
  const database = openDatabase(`${folder.path}/test.sqlite`)
  const pragma = (name: string) => Object.values(database.prepare(`pragma ${name}`).get() ?? {})
  expect(pragma('journal_mode')).toEqual(['wal'])
  expect(pragma('synchronous')).toEqual([2])
  expect(pragma('foreign_keys')).toEqual([1])
  expect(pragma('locking_mode')).toEqual(['exclusive'])
  const orphan = "insert into messages values ('ada', 'none', 'm', 'user', '{}', 'run', null)"
  expect(() => database.exec(orphan)).toThrow('FOREIGN KEY')
  database.close()
})

test('what a killed process has written, and not synced, is synced before anybody can read it', async () => {
  await using folder = await temporaryFolder()
  const path = `${folder.path}/test.sqlite`
  const killed = openDatabase(`${folder.path}/killed.sqlite`)
  killed.exec("insert into logs (name, epoch, fence, seq) values ('ada/chat', 'epoch', 1, 0)")
  for (const name of ['', '-wal']) await copyFile(`${folder.path}/killed.sqlite${name}`, `${path}${name}`)
  killed.close()
  using syncs = watchSyncs()
  const database = openDatabase(path)
  expect(database.prepare('select name from logs').all()).toEqual([{ name: 'ada/chat' }])
  // The name of the -wal file, too: it is as new as what is in it.
  for (const each of [`${path}-wal`, folder.path]) expect(syncs.inodes).toContain((await stat(each)).ino)
  database.close()
})

/** Notes the files and folders that this thread syncs. SQLite syncs its own files without being seen here. */
function watchSyncs(): { readonly inodes: ReadonlySet<number> } & Disposable {
  const { fsyncSync } = fs
  const inodes = new Set<number>()
  const replace = (sync: typeof fsyncSync) => {
    fs.fsyncSync = sync
    syncBuiltinESMExports()
  }
  replace(handle => {
    fsyncSync(handle)
    inodes.add(fs.fstatSync(handle).ino)
  })
  return { inodes, [Symbol.dispose]: () => replace(fsyncSync) }
}

test('a file that a newer program has changed too much is refused by name and left as it is', async () => {
  await using folder = await temporaryFolder()
  const path = `${folder.path}/test.sqlite`
  openDatabase(path).close()
  const newer = new DatabaseSync(path)
  newer.exec("insert into migrations values (99, 'from the future', '2030-01-01T00:00:00Z', 1)")
  newer.close()
  const before = await readFile(path)
  expect(() => openDatabase(path)).toThrow(
    expect.objectContaining({
      name: 'SqlError',
      code: 'newer-schema',
      message: expect.stringMatching(/schema version 99.*know only \d+.*newer program/),
    }),
  )
  expect((await readFile(path)).equals(before)).toBe(true)
  const freed = new DatabaseSync(path)
  expect(appliedIn(freed)).toHaveLength(all.length + 1)
  freed.close()
})

test('a file that is no database is refused and left as it is', async () => {
  await using folder = await temporaryFolder()
  const path = `${folder.path}/test.sqlite`
  const text = 'These are my notes, not a database. '.repeat(200)
  await writeFile(path, text)
  expect(() => openDatabase(path)).toThrow(
    expect.objectContaining({
      name: 'SqlError',
      code: 'damaged',
      message: `The database ${path} cannot be opened: file is not a database. Restore it from a backup, or use another folder.`,
    }),
  )
  expect(await readFile(path, 'utf8')).toBe(text)
})

test('a file whose pages are damaged is named with its path', async () => {
  await using folder = await temporaryFolder()
  const path = `${folder.path}/test.sqlite`
  openDatabase(path).close()
  const bytes = await readFile(path)
  // The header stays. Everything that the header leads to is wrong.
  bytes.fill(0xff, 100)
  await writeFile(path, bytes)
  expect(() => openDatabase(path)).toThrow(
    expect.objectContaining({
      code: 'damaged',
      message: expect.stringMatching(/test\.sqlite cannot be opened: .*malformed.* Restore it from a backup/),
    }),
  )
})

test('a file that nobody can write is named with its path', () => {
  // Nobody can make files here, root included.
  const path = '/proc/self/test.sqlite'
  expect(() => openDatabase(path)).toThrow(
    expect.objectContaining({
      code: 'unwritable',
      message: expect.stringContaining(`${path} cannot be written`),
    }),
  )
})
