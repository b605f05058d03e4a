import { readFile, writeFile } from 'node:fs/promises'
import { isChatId } from '@throughline/protocol'
import { openStore } from '@throughline/store'
import { idOf } from '@throughline/testing/log/id-of'
import { ownerIdOf } from '@throughline/testing/server/test-server'
import { saveHistory } from '@throughline/testing/store/save-history'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { run } from '../../src/main.ts'
import { sizesText } from '../../src/text/units.ts'
import { fakeTerminal } from '../fake-terminal.ts'

const local = ownerIdOf('local')
const chatId = idOf(isChatId, 'chat')
const size = String.raw`[\d.]+ (B|kB|MB)`

async function compact(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const terminal = fakeTerminal()
  const code = await run(['compact', ...words], { ...terminal.shell, env })
  return { code, text: terminal.text }
}

/** Makes a data folder with a chat of so many messages, and one that is deleted. */
async function fill(folder: string, count: number): Promise<void> {
  const store = await openStore(folder)
  await saveHistory(store, { ownerId: local, chatId, count })
  const other = { ownerId: local, chatId: idOf(isChatId, 'other') }
  const at = new Date(0).toISOString()
  await store.chats.create(local, { id: other.chatId, title: 'x', createdAt: at, updatedAt: at })
  await store.chats.remove(other, at)
  await store.close()
}

test('prints the sizes before and after, and what the data holds', async () => {
  await using folder = await temporaryFolder()
  await fill(folder.path, 1_200)
  const { code, text } = await compact([], { THROUGHLINE_DATA: folder.path })
  expect(code).toBe(0)
  const [before, after, contents, ...more] = text.split('\n')
  expect(before).toMatch(new RegExp(`^${folder.path} before: database ${size}`))
  expect(after).toMatch(new RegExp(`^${folder.path} after: database ${size}$`))
  expect(contents).toBe('It holds: chats 1, messages 1,200, log entries 1,200.')
  expect(more).toEqual([''])
})

test('--dry-run prints the sizes and changes nothing', async () => {
  await using folder = await temporaryFolder()
  await fill(folder.path, 10)
  const bytes = await readFile(`${folder.path}/throughline.sqlite`)
  const { code, text } = await compact(['--data', folder.path, '--dry-run'])
  expect(code).toBe(0)
  expect(text).toMatch(new RegExp(`^${folder.path}: database ${size}(, ${size} of it free)?\n$`))
  expect((await readFile(`${folder.path}/throughline.sqlite`)).equals(bytes)).toBe(true)
})

test.each([[[]], [['--dry-run']]])('%j refuses data that a server uses, in one sentence', async words => {
  await using folder = await temporaryFolder()
  const store = await openStore(folder.path)
  const { code, text } = await compact(['--data', folder.path, ...words])
  expect({ code, text }).toEqual({
    code: 1,
    text: `A server is running on the data in ${folder.path}. Stop it first: only one process can open the data.\n`,
  })
  await store.close()
})

test('a file that is no database is named with its path and what to do', async () => {
  await using folder = await temporaryFolder()
  await writeFile(`${folder.path}/throughline.sqlite`, 'These are my notes, not a database. '.repeat(200))
  const { code, text } = await compact(['--data', folder.path])
  expect(code).toBe(1)
  expect(text).toContain(
    `${folder.path}/throughline.sqlite cannot be opened: file is not a database. Restore`,
  )
})

test.each([
  [{ databaseBytes: 999, freeBytes: 0, walBytes: 0 }, 'database 999 B'],
  [{ databaseBytes: 81_920, freeBytes: 4_096, walBytes: 0 }, 'database 81.9 kB, 4.1 kB of it free'],
  [{ databaseBytes: 8.124e9, freeBytes: 0, walBytes: 4.1e6 }, 'database 8.1 GB, write-ahead log 4.1 MB'],
])('sizes in words: %j', (sizes, expected) => {
  expect(sizesText(sizes)).toBe(expected)
})
