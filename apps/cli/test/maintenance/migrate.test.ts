import { openStore } from '@throughline/store'
import { testDatabase } from '@throughline/testing/postgres/test-database'
import { fillStore } from '@throughline/testing/store/fill-store'
import { damageStore } from '@throughline/testing/store/left-runs'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { run } from '../../src/main.ts'
import { fakeTerminal } from '../fake-terminal.ts'
import { startProgram } from '../start-program.ts'

async function migrate(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const terminal = fakeTerminal()
  const code = await run(['migrate', ...words], { ...terminal.shell, env })
  return { code, text: terminal.text }
}

async function fill(folder: string, count: number): Promise<void> {
  const store = await openStore(folder)
  await fillStore(store, { count })
  await store.close()
}

test('moves the data of a folder to Postgres, and prints what was compared', async () => {
  await using folder = await temporaryFolder()
  await using database = await testDatabase()
  await fill(folder.path, 1_200)
  const { code, text } = await migrate(['--to', database.url], { THROUGHLINE_DATA: folder.path })
  const { host, pathname } = new URL(database.url)
  expect(text).toMatch(
    new RegExp(`^Moving the data in ${folder.path} to ${host}${pathname}\\. The folder is only read\\.\n`),
  )
  expect(text).toContain('copied    messages: 1,201\n')
  expect(text).toContain('compared  log_entries: 803\n')
  expect(text).toMatch(/\n {2}log_entries {2,}803 {2}sha256 [0-9a-f]{16}\n/)
  expect(text).toContain('\nFiles: 1, 700.0 kB, compared byte by byte. They are in the database.\n')
  expect(text).toContain(`Done: everything in ${folder.path} is in ${host}${pathname}.`)
  expect(code).toBe(0)
  const again = await migrate(['--data', folder.path], { DATABASE_URL: database.url })
  expect(again).toMatchObject({ code: 1, text: expect.stringContaining('Name an empty database.\n') })
})

test('a move that was killed begins anew, and says so', async () => {
  await using folder = await temporaryFolder()
  await using database = await testDatabase()
  await fill(folder.path, 4_000)
  const env = { DATABASE_URL: database.url, THROUGHLINE_DATA: folder.path }
  const killed = startProgram(['migrate'], env)
  await killed.until('copied    messages')
  killed.signal('SIGKILL')
  expect((await killed.ended).output).not.toContain('Done')
  // The server of the database notices a little later that the process is gone.
  let second = await startProgram(['migrate'], env).ended
  while (second.errors.includes('Another process is moving data'))
    second = await startProgram(['migrate'], env).ended
  expect(second).toMatchObject({ code: 0, errors: '' })
  expect(second.output).toContain('An earlier attempt was cut off. What it had written was deleted.')
  expect(second.output).toContain('compared  messages: 4,001')
})

test('files whose contents are missing are named', async () => {
  await using folder = await temporaryFolder()
  await using database = await testDatabase()
  await fill(folder.path, 4)
  damageStore(folder.path, `update files set id = 'file_lost'`)
  const { text } = await migrate(['--to', database.url, '--data', folder.path])
  expect(text).toContain('Files whose contents were missing before: ada/history/file_lost\n')
})

test('data that a server uses is refused in one sentence', async () => {
  await using folder = await temporaryFolder()
  await using database = await testDatabase()
  const store = await openStore(folder.path)
  const { code, text } = await migrate(['--to', database.url, '--data', folder.path])
  expect(code).toBe(1)
  expect(text).toContain(
    `\nA server is running on the data in ${folder.path}. Stop it first: only one process`,
  )
  await store.close()
})

test.each([
  [[], 'Name the database with --to postgres://user:password@host/database, or in DATABASE_URL.'],
  [['--to', 'mysql://root:very-secret@host/db'], 'Name the database with --to postgres://'],
  [['postgres://host/db'], 'Name the database with --to URL.'],
  [['--form', 'x'], "Unknown option '--form'"],
])('%j is refused', async (words, problem) => {
  const { code, text } = await migrate(words)
  expect({ code, text }).toEqual({ code: 1, text: expect.stringContaining(problem) })
  expect(text).not.toContain('very-secret')
})

test('a database that cannot be reached is named without its password', async () => {
  await using folder = await temporaryFolder()
  await fill(folder.path, 4)
  const words = ['--to', 'postgres://user:very-secret@127.0.0.1:1/db', '--data', folder.path]
  const { code, text } = await migrate(words)
  expect(code).toBe(1)
  expect(text).toContain('Nothing listens on 127.0.0.1:1.')
  expect(text).not.toContain('very-secret')
})
