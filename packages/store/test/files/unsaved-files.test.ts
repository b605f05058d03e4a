import type { ChatKey } from '@throughline/protocol'
import { testDatabase } from '@throughline/testing/postgres/test-database'
import { adasChat, bobsChat, startOf, testChat, testRun } from '@throughline/testing/store/store-rows'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { temporaryStore } from '@throughline/testing/store/temporary-store'
import { describe, expect, test } from 'vitest'
import { databaseOnPostgres, databaseOnSqlite, type StoreDatabase } from '../../src/database/database.ts'
import { type Sql, SqlError } from '../../src/database/sql.ts'
import { folderBytes } from '../../src/file-bytes/folder-bytes.ts'
import { createFiles } from '../../src/files/files.ts'
import { createUnsavedFiles, saveUnsaved } from '../../src/files/unsaved-files.ts'
import { openPostgres } from '../../src/postgres/open-postgres.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'

const hourMs = 3_600_000
const fileOf = (id: string) => ({
  id,
  mediaType: 'image/png',
  bytes: new TextEncoder().encode(id),
  at: new Date(0).toISOString(),
})

interface OpenDatabase extends AsyncDisposable {
  readonly database: StoreDatabase
}

async function onSqlite(): Promise<OpenDatabase> {
  const folder = await temporaryFolder()
  const thread = await openSqlite(`${folder.path}/throughline.sqlite`)
  return {
    database: databaseOnSqlite(thread),
    async [Symbol.asyncDispose]() {
      await thread.close()
      await folder[Symbol.asyncDispose]()
    },
  }
}

async function onPostgres(): Promise<OpenDatabase> {
  const fresh = await testDatabase()
  const sql = await openPostgres(fresh.url)
  return {
    database: databaseOnPostgres(sql),
    async [Symbol.asyncDispose]() {
      await sql.close()
      await fresh[Symbol.asyncDispose]()
    },
  }
}

/** Files in a database and a folder of their own, with a clock that the test sets. */
async function unsavedWorld(open: () => Promise<OpenDatabase>) {
  const opened = await open()
  const { database } = opened
  const folder = await temporaryFolder()
  const bytes = folderBytes(`${folder.path}/files`)
  const clock = { ms: Date.UTC(2026, 0, 1) }
  const now = () => new Date(clock.ms)
  const unsaved = createUnsavedFiles(database, { bytes, now })
  return {
    database,
    bytes,
    clock,
    now,
    unsaved,
    files: createFiles(database, { bytes, unsaved }),
    /** Saves a file as the claim of a run does. Returns whether it could be saved. */
    save: (chat: ChatKey, id: string) =>
      database.sql.write([saveUnsaved(database, chat, id)]).then(
        () => true,
        () => false,
      ),
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]()
      await folder[Symbol.asyncDispose]()
    },
  }
}

describe.each([
  ['SQLite', onSqlite],
  ['Postgres', onPostgres],
] as const)('files that are not saved yet, on %s:', (_, open) => {
  test('bytes that no message has saved are removed after a day, and not before', async () => {
    await using world = await unsavedWorld(open)
    const { files, unsaved, bytes, clock } = world
    await files.write(adasChat, fileOf('file_1'))
    await files.write(bobsChat, fileOf('file_1'))
    clock.ms += 23 * hourMs
    await files.write(bobsChat, fileOf('file_1'))
    expect(await unsaved.sweep()).toBe(0)
    clock.ms += 2 * hourMs
    expect(await unsaved.sweep()).toBe(1)
    expect(await bytes.read(adasChat, 'file_1')).toBeUndefined()
    // This one was written again two hours ago.
    expect(await bytes.read(bobsChat, 'file_1')).toBeDefined()
    expect(await unsaved.sweep()).toBe(0)
  })

  test('more files than fit on a page are removed', async () => {
    await using world = await unsavedWorld(open)
    const { unsaved, clock } = world
    for (let index = 0; index < 205; index += 1) await unsaved.note(adasChat, `file_${index}`)
    clock.ms += 25 * hourMs
    expect(await unsaved.sweep()).toBe(205)
  })

  test('a file that another message has saved keeps its bytes, and its note goes', async () => {
    await using world = await unsavedWorld(open)
    const { database, files, unsaved, bytes, clock } = world
    const chat = `insert into chats (owner_id, id, title, created_at, updated_at) values ('ada', 'chat', '', '', '')`
    await database.sql.write([{ sql: chat, sets: [[]] }])
    const id = await files.keep(adasChat, fileOf(''))
    // The same file was written once more, for a message that was refused.
    await unsaved.note(adasChat, id)
    clock.ms += 25 * hourMs
    expect(await unsaved.sweep()).toBe(0)
    expect(await bytes.read(adasChat, id)).toBeDefined()
    const [notes] = await database.sql.read([{ sql: 'select id from unsaved_files', sets: [[]] }])
    expect(notes).toEqual([])
  })

  test('a kept file keeps its bytes when nobody can say whether its row was saved', async () => {
    await using world = await unsavedWorld(open)
    const { database, unsaved, bytes } = world
    const lost = new SqlError('unreachable', 'The connection was lost.')
    let isLost = false
    const sql: Sql = {
      ...database.sql,
      async write(statements) {
        await database.sql.write(statements)
        isLost = true
        throw lost
      },
      async read(statements) {
        if (isLost) throw lost
        return database.sql.read(statements)
      },
    }
    const chat = `insert into chats (owner_id, id, title, created_at, updated_at) values ('ada', 'chat', '', '', '')`
    await database.sql.write([{ sql: chat, sets: [[]] }])
    const broken = createFiles({ ...database, sql }, { bytes, unsaved })
    await expect(broken.keep(adasChat, fileOf(''))).rejects.toBe(lost)
    const [rows = []] = await database.sql.read([{ sql: 'select id from files', sets: [[]] }])
    expect(await bytes.read(adasChat, String(rows[0]?.['id']))).toBeDefined()
  })

  test('a file cannot be saved while it is swept, and a new write of it waits until it is gone', async () => {
    await using world = await unsavedWorld(open)
    const { database, bytes, clock, now, save } = world
    const removing = Promise.withResolvers<void>()
    const hasBegun = Promise.withResolvers<void>()
    const slow = createUnsavedFiles(database, {
      now,
      bytes: {
        async remove(chat, id) {
          hasBegun.resolve()
          await removing.promise
          await bytes.remove(chat, id)
        },
      },
    })
    const files = createFiles(database, { bytes, unsaved: slow })
    await files.write(adasChat, fileOf('file_1'))
    clock.ms += 25 * hourMs
    const sweep = slow.sweep()
    await hasBegun.promise
    expect(await save(adasChat, 'file_1')).toBe(false)
    const written = files.write(adasChat, fileOf('file_1'))
    removing.resolve()
    expect(await sweep).toBe(1)
    await written
    expect(await bytes.read(adasChat, 'file_1')).toBeDefined()
    expect(await save(adasChat, 'file_1')).toBe(true)
  })

  test('a sweep that was cut off is finished by a later one, and does not keep a file from being written', async () => {
    await using world = await unsavedWorld(open)
    const { database, files, unsaved, bytes, clock, now, save } = world
    const crashing = createUnsavedFiles(database, {
      now,
      bytes: { remove: () => Promise.reject(new Error('The bucket is away.')) },
    })
    await files.write(adasChat, fileOf('file_1'))
    await files.write(bobsChat, fileOf('file_1'))
    clock.ms += 25 * hourMs
    for (let count = 0; count < 2; count += 1)
      await expect(crashing.sweep()).rejects.toThrow('The bucket is away.')
    clock.ms += hourMs
    await files.write(bobsChat, fileOf('file_1'))
    expect(await unsaved.sweep()).toBe(1)
    expect(await bytes.read(adasChat, 'file_1')).toBeUndefined()
    expect(await bytes.read(bobsChat, 'file_1')).toBeDefined()
    expect(await save(bobsChat, 'file_1')).toBe(true)
  })
})

test('a message whose file was removed with an earlier chat cannot be saved until the file is written again', async () => {
  await using context = await temporaryStore()
  const { store } = context
  const { ownerId } = adasChat
  await store.chats.create(ownerId, testChat())
  const file = fileOf('file_1')
  await store.files.write(adasChat, file)
  await store.chats.remove(adasChat, new Date(0).toISOString())
  const run = testRun('run')
  expect(await store.runs.claim(run, { ...startOf(run), files: [file] })).toBe(false)
  expect(await store.chats.get(adasChat)).toBeUndefined()
  await store.files.write(adasChat, file)
  expect(await store.runs.claim(run, { ...startOf(run), files: [file] })).toBe(true)
  expect((await store.files.read(adasChat, 'file_1'))?.mediaType).toBe('image/png')
})
