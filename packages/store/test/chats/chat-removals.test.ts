import { DatabaseSync } from 'node:sqlite'
import { logName } from '@throughline/log'
import { isMessageId } from '@throughline/protocol'
import { idOf } from '@throughline/testing/log/id-of'
import { saveHistory } from '@throughline/testing/store/save-history'
import { ada, adasChat, at, chatId, startOf, testChat, testRun } from '@throughline/testing/store/store-rows'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { temporaryStores } from '@throughline/testing/store/temporary-store'
import { describe, expect, test } from 'vitest'
import { createChatRemovals } from '../../src/chats/chat-removals.ts'
import { databaseOnSqlite } from '../../src/database/database.ts'
import { openStore, type Store } from '../../src/open/open-store.ts'
import { openSqlite } from '../../src/sqlite/open-sqlite.ts'

const first = idOf(isMessageId, 'old-0')
const tables = [
  'chats',
  'messages',
  'parts',
  'runs',
  'files',
  'approvals',
  'shares',
  'log_entries',
  'log_tail',
]

/** Returns how many rows a closed store has, in all tables that belong to chats. */
function rowsIn(folder: string): number {
  using database = new DatabaseSync(`${folder}/throughline.sqlite`)
  const count = (table: string) => Number(database.prepare(`select count(*) as n from ${table}`).get()?.['n'])
  return tables.map(count).reduce((sum, each) => sum + each, 0)
}

async function expectGone(store: Store): Promise<void> {
  expect(await store.chats.get(adasChat)).toBeUndefined()
  expect(await store.chats.list(ada, { limit: 10 })).toEqual([])
  expect(await store.chats.rename(adasChat, { title: 'New', at: at(1) })).toBe(false)
  expect(await store.messages.load(adasChat)).toBeUndefined()
  expect(await store.messages.find(adasChat, first)).toBeUndefined()
  expect(await store.messages.last(adasChat)).toBe('')
  expect(await store.runs.ofUserMessage(adasChat, first)).toBeUndefined()
  expect(await store.chats.remove(adasChat, at(1))).toBe(false)
}

describe.each(temporaryStores)('on $name', ({ temporaryStore, temporaryDatabase }) => {
  test('a chat is gone at once, while its rows are deleted in slices', async () => {
    await using context = await temporaryStore()
    const { store } = context
    await saveHistory(store, { ownerId: ada, chatId, count: 3_000 })
    const removal = store.chats.remove(adasChat, at(0))
    const isDone = removal.then(() => true)
    await expectGone(store)
    expect(await Promise.race([isDone, Promise.resolve(false)])).toBe(false)
    expect(await removal).toBe(true)
    await expectGone(store)
  })

  test('a message that comes while its chat is being removed begins a new chat, and stays', async () => {
    await using context = await temporaryStore()
    const { store } = context
    await saveHistory(store, { ownerId: ada, chatId, count: 3_000 })
    const removal = store.chats.remove(adasChat, at(0))
    const run = testRun('next', { userMessageId: 'again' })
    expect(await store.runs.claim(run, startOf(run))).toBe(true)
    expect(await removal).toBe(true)
    expect((await store.messages.load(adasChat))?.messages.map(({ message }) => message.id)).toEqual([
      'again',
    ])
    expect(await store.runs.active(adasChat)).toMatchObject({ id: 'next' })
  })

  test('viewers of a removed chat learn it from its log', async () => {
    await using context = await temporaryStore()
    const { store } = context
    await saveHistory(store, { ownerId: ada, chatId, count: 4 })
    const before = await store.log.open(logName(adasChat))
    await store.chats.remove(adasChat, at(0))
    await expect(store.log.read(logName(adasChat), before, 1)).rejects.toMatchObject({
      code: 'unknown-position',
    })
  })

  test('what cannot be deleted is reported and tried again, and the chat stays hidden', async () => {
    await using database = await temporaryDatabase()
    const { sql } = database
    const reports: string[] = []
    let attempts = 0
    const removals = createChatRemovals(database, {
      files: {
        async removeAll() {
          attempts += 1
          if (attempts < 3) throw new Error('The disk is broken.')
        },
      },
      log: { remove: async () => undefined },
      report: problem => void reports.push(problem),
      retryMs: 1,
    })
    const chat = `insert into chats (owner_id, id, title, created_at, updated_at) values ('ada', 'chat', '', '', '')`
    await sql.write([{ sql: chat, sets: [[]] }])
    await expect(removals.remove(adasChat, at(0))).rejects.toThrow('The disk is broken.')
    expect(removals.has(adasChat)).toBe(true)
    await removals.waitWhileRemoving(adasChat)
    expect(removals.has(adasChat)).toBe(false)
    expect(reports).toHaveLength(2)
    expect(reports[0]).toContain('The disk is broken.')
    expect((await sql.read([{ sql: 'select id from chats', sets: [[]] }]))[0]).toEqual([])
    await removals.close()
  })
})

test('a removal that the end of the process has cut off is hidden and finished by the next process', async () => {
  await using folder = await temporaryFolder()
  const store = await openStore(folder.path)
  await saveHistory(store, { ownerId: ada, chatId, count: 3_000 })
  await store.files.keep(adasChat, { mediaType: 'text/plain', bytes: Buffer.from('file'), at: at(0) })
  const removal = store.chats.remove(adasChat, at(0)).catch(error => error)
  await store.chats.get(adasChat)
  await store.close()
  expect(await removal).toMatchObject({ code: 'closed' })
  expect(rowsIn(folder.path)).toBeGreaterThan(0)

  const next = await openStore(folder.path)
  await expectGone(next)
  // A new chat of the same id waits until nothing is left of the old one.
  await next.chats.create(ada, testChat())
  expect((await next.messages.load(adasChat))?.messages).toEqual([])
  await next.chats.remove(adasChat, at(1))
  await next.close()
  // The database deletes the entries of removed logs when it has nothing else to do. Each start goes on with it.
  const rowsAfterStart = async () => {
    await (await openStore(folder.path)).close()
    return rowsIn(folder.path)
  }
  await expect.poll(rowsAfterStart).toBe(0)
})

test('other jobs are done between the slices of a removal', async () => {
  await using folder = await temporaryFolder()
  const store = await openStore(folder.path)
  await saveHistory(store, { ownerId: ada, chatId, count: 1_000 })
  const share = { title: '', createdAt: at(0), messageCount: 0, digest: '', messages: '[]', fileIds: [] }
  for (const key of ['one', 'two']) await store.shares.create(adasChat, { key, ...share })
  await store.close()
  const sql = await openSqlite(`${folder.path}/throughline.sqlite`)
  const writes: number[] = []
  const counted: typeof sql.write = statements => {
    writes.push(statements.length)
    return sql.write(statements)
  }
  const database = databaseOnSqlite({ read: s => sql.read(s), close: () => sql.close(), write: counted })
  const nothing = async () => undefined
  const removals = createChatRemovals(database, {
    files: { removeAll: nothing },
    log: { remove: nothing },
    report: () => undefined,
  })
  expect(await removals.remove(adasChat, at(0))).toBe(true)
  // One transaction marks the chat. Then 2 for 2 shares, 5 for 1,000 parts, 1 for the messages, 1 for the run, and one
  // that finds nothing more for each table. The last one deletes the chat.
  expect(writes).toEqual([8, ...Array.from({ length: 14 }, () => 1)])
  await sql.close()
})
