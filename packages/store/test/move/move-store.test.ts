import { createHash } from 'node:crypto'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { logName } from '@throughline/log'
import { startS3Server } from '@throughline/testing/files/s3-server'
import { testDatabase } from '@throughline/testing/postgres/test-database'
import { fillStore, historyChat, runningChat } from '@throughline/testing/store/fill-store'
import { damageStore } from '@throughline/testing/store/left-runs'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import type { Sql } from '../../src/database/sql.ts'
import { bucketBytes } from '../../src/file-bytes/bucket-bytes.ts'
import { postgresBytes } from '../../src/file-bytes/postgres-bytes.ts'
import { compareRows, copyRows } from '../../src/move/copy-data.ts'
import { type MoveProgress, moveStore, openSource } from '../../src/move/move-store.ts'
import { openTarget } from '../../src/move/move-target.ts'
import { tableFacts, tablesLeftOut } from '../../src/move/table-facts.ts'
import { openPostgresStore } from '../../src/open/open-postgres-store.ts'
import { openStore } from '../../src/open/open-store.ts'
import { openPostgres } from '../../src/postgres/open-postgres.ts'

/** A data folder with some of everything, and an empty database. */
async function moveWorld({ count = 300 } = {}) {
  const folder = await temporaryFolder()
  const database = await testDatabase()
  const store = await openStore(folder.path)
  const file = await fillStore(store, { count })
  const head = await store.log.open(logName(runningChat))
  const entries = await store.log.read(logName(runningChat), { ...head, seq: 0 }, 10)
  await store.close()
  return {
    folder: folder.path,
    url: database.url,
    file,
    head,
    entries,
    async [Symbol.asyncDispose]() {
      await folder[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

async function hashesIn(folder: string): Promise<Readonly<Record<string, string>>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const paths = found.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name))
  const hashes = paths.map(async path => {
    return [
      path,
      createHash('sha256')
        .update(await readFile(path))
        .digest('hex'),
    ] as const
  })
  return Object.fromEntries((await Promise.all(hashes)).toSorted())
}

async function rowsIn(sql: Sql, query: string) {
  const [rows = []] = await sql.read([{ sql: query, sets: [[]] }])
  return rows
}

test('every row, every entry and every file is moved, and the source stays as it is', async () => {
  await using world = await moveWorld()
  const { folder, url } = world
  const before = await hashesIn(folder)
  const progress: MoveProgress[] = []
  const moved = await moveStore({ folder, url, onProgress: step => void progress.push(step) })
  const { [join(folder, 'throughline.sqlite-origin')]: _, ...kept } = before
  expect(await hashesIn(folder)).toEqual(kept)
  const counts = Object.fromEntries(moved.tables.map(({ name, rows }) => [name, rows]))
  expect(counts).toMatchObject({
    chats: 3,
    messages: 301,
    parts: 301,
    runs: 2,
    approvals: 1,
    files: 1,
    sub_agents: 1,
    channel_chats: 1,
    outbox: 1,
    removed_messages: 1,
    // A third of the long log was trimmed.
    log_entries: 203,
  })
  expect(moved.files).toEqual({ files: 1, bytes: 700_000, missing: [] })
  expect(progress.filter(({ type }) => type === 'copied')).toHaveLength(moved.tables.length)
  expect(progress.filter(({ type }) => type === 'compared')).toHaveLength(moved.tables.length)

  const sql = await openPostgres(url)
  const [log] = await rowsIn(sql, `select epoch, fence, trimmed from logs where name = 'bob/running'`)
  expect(log).toEqual({ epoch: world.head.epoch, fence: 1, trimmed: 0 })
  const entries = await rowsIn(
    sql,
    `select seq, at, run_id, message_id, chunk from log_entries where epoch = '${world.head.epoch}' order by seq`,
  )
  expect(
    entries.map(row => ({
      seq: row['seq'],
      at: row['at'],
      runId: row['run_id'],
      messageId: row['message_id'],
      chunk: JSON.parse(String(row['chunk'])),
    })),
  ).toEqual(world.entries)
  const [history] = await rowsIn(sql, `select trimmed from logs where name = 'ada/history'`)
  expect(history).toEqual({ trimmed: 100 })
  expect(await rowsIn(sql, `select title from chats where id = 'running'`)).toEqual([
    { title: 'Null \uFFFD and ünïcödé 🎉' },
  ])
  const bytes = await postgresBytes(sql).read(historyChat, world.file)
  expect(bytes && createHash('sha256').update(bytes).digest('hex')).toBe(
    before[join(folder, 'files', 'ada', 'history', world.file)],
  )
  await sql.close()
})

test('a server that starts on the folder all the same has other positions than the database', async () => {
  await using world = await moveWorld({ count: 30 })
  await moveStore(world)
  const store = await openStore(world.folder)
  expect((await store.log.open(logName(runningChat))).epoch).not.toBe(world.head.epoch)
  await store.close()
})

test('a folder that is a copy gives the database other positions than the original has', async () => {
  await using world = await moveWorld({ count: 30 })
  await rm(join(world.folder, 'throughline.sqlite-origin'))
  await moveStore(world)
  const store = await openPostgresStore(world.url)
  const log = logName(runningChat)
  const head = await store.log.open(log)
  expect(head).toMatchObject({ seq: world.head.seq })
  expect(head.epoch).not.toBe(world.head.epoch)
  expect(await store.log.read(log, { ...head, seq: 0 }, 10)).toEqual(world.entries)
  await store.close()
})

test('no server starts on a database before everything is there, and then viewers go on where they were', async () => {
  await using world = await moveWorld({ count: 30 })
  const cut = (step: MoveProgress) => {
    if (step.type === 'files-copied') throw new Error('The machine was switched off.')
  }
  await expect(moveStore({ ...world, onProgress: cut })).rejects.toThrow('switched off')
  await expect(openPostgresStore(world.url)).rejects.toMatchObject({
    code: 'in-use',
    message: expect.stringContaining(`The data of ${world.folder} is not yet completely in this database.`),
  })
  await moveStore(world)
  const store = await openPostgresStore(world.url)
  const log = logName(runningChat)
  expect(await store.log.open(log)).toEqual(world.head)
  expect(await store.log.read(log, { ...world.head, seq: 1 }, 10)).toEqual(world.entries.slice(1))
  const [history] = (await store.messages.load(historyChat))?.messages ?? []
  expect(history?.message.id).toBe('old-0')
  expect((await store.files.read(historyChat, world.file))?.bytes.byteLength).toBe(700_000)
  expect(await store.runs.active(runningChat)).toMatchObject({ id: 'running' })
  await store.close()
})

test('with a bucket, the files of the folder go there, and those that are there already stay', async () => {
  await using world = await moveWorld()
  await using server = await startS3Server()
  const bucket = bucketBytes(server.options)
  const store = await openStore(world.folder, { fileBytes: bucket })
  const added = await store.files.keep(historyChat, {
    mediaType: 'image/png',
    bytes: new Uint8Array(3),
    at: new Date(0).toISOString(),
  })
  await store.close()
  const moved = await moveStore({ ...world, bucket })
  expect(moved.files).toEqual({ files: 2, bytes: 700_003, missing: [] })
  expect([...server.objects.keys()].toSorted()).toEqual(
    [`files/ada/history/${added}`, `files/ada/history/${world.file}`].toSorted(),
  )
})

test('a file whose bytes the source has lost is named, and the rest is moved', async () => {
  await using world = await moveWorld({ count: 4 })
  damageStore(world.folder, `update files set id = 'file_lost'`)
  const { files } = await moveStore(world)
  expect(files).toEqual({ files: 1, bytes: 0, missing: ['ada/history/file_lost'] })
})

test('data that a server uses is not moved', async () => {
  await using world = await moveWorld({ count: 4 })
  const store = await openStore(world.folder)
  await expect(moveStore(world)).rejects.toMatchObject({ name: 'SqlError', code: 'in-use' })
  await store.close()
  const sql = await openPostgres(world.url)
  expect(await rowsIn(sql, 'select id from store_moves')).toEqual([])
  await sql.close()
})

test('a folder without data, and data of another version, are refused', async () => {
  await using world = await moveWorld({ count: 4 })
  await using empty = await temporaryFolder()
  await expect(moveStore({ ...world, folder: empty.path })).rejects.toThrow(
    `There is no data in ${empty.path}.`,
  )
  damageStore(world.folder, 'delete from migrations where version = (select max(version) from migrations)')
  await expect(moveStore(world)).rejects.toThrow('Run "throughline compact" first')
  damageStore(world.folder, `insert into migrations values (1000, 'from the future', '', 0)`)
  await expect(moveStore(world)).rejects.toThrow('was written by a newer version')
})

test('a database with data is refused and not changed, also when the data was moved there', async () => {
  await using world = await moveWorld({ count: 4 })
  await moveStore(world)
  await expect(moveStore(world)).rejects.toMatchObject({
    name: 'MoveError',
    code: 'target',
    message: expect.stringContaining(`The data of ${world.folder} was moved here`),
  })
  await using other = await testDatabase()
  const sql = await openPostgres(other.url)
  await sql.write([{ sql: `insert into removed_messages values ('ada', 'chat', 'message', '')`, sets: [[]] }])
  await expect(moveStore({ ...world, url: other.url })).rejects.toThrow(
    'The database has data already (table removed_messages). Nothing was changed. Name an empty database.',
  )
  expect(await rowsIn(sql, 'select id from chats')).toEqual([])
  await sql.close()
})

test.each(['messages', 'log_entries'])('a move that is cut off after %s begins anew', async last => {
  await using world = await moveWorld({ count: 40 })
  const cut = (step: MoveProgress) => {
    if (step.type === 'copied' && step.table === last) throw new Error('The machine was switched off.')
  }
  await expect(moveStore({ ...world, onProgress: cut })).rejects.toThrow('switched off')
  const steps: MoveProgress[] = []
  const moved = await moveStore({ ...world, onProgress: step => void steps.push(step) })
  expect(steps[0]).toEqual({ type: 'restarted' })
  expect(moved.tables.find(({ name }) => name === 'messages')?.rows).toBe(41)
})

test('two moves into one database do not mix', async () => {
  await using world = await moveWorld({ count: 4 })
  await using target = await openTarget(world.url, { tables: [], folder: 'elsewhere', at: '' })
  expect(target.isRestarted).toBe(false)
  await expect(moveStore(world)).rejects.toThrow('Another process is moving data into this database.')
})

test('damage in the source is named, and the database is not released', async () => {
  await using world = await moveWorld({ count: 30 })
  damageStore(
    world.folder,
    `update log_tail set body = replace(body, 'three', 'four') where body like '%three%'`,
  )
  await expect(moveStore(world)).rejects.toThrow('Entry 3 of the log bob/running is damaged or missing.')
  const sql = await openPostgres(world.url)
  expect(await rowsIn(sql, 'select finished_at from store_moves')).toEqual([{ finished_at: null }])
  await sql.close()
})

test.each([
  [`update messages set metadata = '{}' where id = 'old-3'`, 'messages ada/history/old-3 is not the same'],
  [`delete from messages where id = 'old-3'`, 'messages ada/history/old-3 is not the same'],
  [`delete from messages where id = 'question'`, 'messages bob/running/question is missing in the target'],
  [
    `insert into messages select owner_id, chat_id, 'x', role, metadata, run_id, seq from messages where id = 'question'`,
    'the target has more rows in messages',
  ],
])('a copy that differs is found: %s', async (change, difference) => {
  await using world = await moveWorld({ count: 6 })
  using source = openSource(world.folder)
  const { tables } = source
  await using target = await openTarget(world.url, { tables, folder: world.folder, at: '' })
  for (const table of tables) await copyRows(target, table, source.rows(table))
  const messages = tables.filter(({ name }) => name === 'messages')
  for (const table of messages) expect((await compareRows(target, table, source.rows(table))).rows).toBe(7)
  await target.sql.write([{ sql: change, sets: [[]] }])
  for (const table of messages)
    await expect(compareRows(target, table, source.rows(table))).rejects.toThrow(difference)
})

test('every table of SQLite is copied to one with the same columns, or left out for a reason', async () => {
  await using world = await moveWorld({ count: 4 })
  using database = new DatabaseSync(join(world.folder, 'throughline.sqlite'))
  const tables = tableFacts(database)
  const sql = await openPostgres(world.url)
  for (const { name, columns, key } of tables) {
    const found = await rowsIn(
      sql,
      `select column_name as name from information_schema.columns where table_name = '${name}' order by 1`,
    )
    expect(
      found.map(row => row['name']),
      name,
    ).toEqual(columns.toSorted())
    expect(key, name).not.toEqual([])
    expect(tablesLeftOut.has(name)).toBe(false)
  }
  await sql.close()
})
