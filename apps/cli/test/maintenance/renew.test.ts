import { ask, loadChat } from '@throughline/testing/http/chat-requests'
import { migratedTestDatabase } from '@throughline/testing/postgres/test-database'
import { startTestServer } from '@throughline/testing/server/test-server'
import { openTestStore } from '@throughline/testing/store/open-test-store'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { run } from '../../src/main.ts'
import { fakeTerminal } from '../fake-terminal.ts'

async function renew(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const terminal = fakeTerminal()
  const code = await run(['renew', ...words], { ...terminal.shell, env })
  return { code, text: terminal.text }
}

test('the logs of a folder get new positions, and a server that runs on it is not disturbed', async () => {
  await using folder = await temporaryFolder()
  const openStore = async () => {
    const store = await openTestStore(folder.path)
    const reopen = async () => store
    return { store, folder: folder.path, reopen, [Symbol.asyncDispose]: () => store.close() }
  }
  const server = await startTestServer({ openStore })
  await (await ask(server.url)).text()
  const { position } = await loadChat(server.url)
  expect(await renew(['--data', folder.path])).toEqual({
    code: 1,
    text: expect.stringContaining(`A process uses the data in ${folder.path}. Stop it first.`),
  })
  await server[Symbol.asyncDispose]()
  expect(await renew([], { THROUGHLINE_DATA: folder.path })).toEqual({
    code: 0,
    text: `The logs in ${folder.path} have new positions: 1. Viewers load their chats again.\n`,
  })
  await using again = await startTestServer({ openStore })
  const seen = await fetch(`${again.url}/api/chats/chat/log?after=${position}`)
  const [first] = await Array.fromAsync(seen.body ?? [], chunk => Buffer.from(chunk).toString())
  expect(first).toContain('event: reset')
  expect((await loadChat(again.url)).messages).toHaveLength(2)
})

test('without a folder, the logs of DATABASE_URL get new positions', async () => {
  await using database = await migratedTestDatabase()
  expect(await renew([], { DATABASE_URL: database.url })).toEqual({
    code: 0,
    text: 'The logs in the Postgres database have new positions: 0. Viewers load their chats again.\n',
  })
  expect((await renew([], { DATABASE_URL: 'mysql://x' })).text).toContain('DATABASE_URL')
})
