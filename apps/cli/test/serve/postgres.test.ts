import { type Migration, migratePostgres, migrations } from '@throughline/store/testing'
import { testDatabase } from '@throughline/testing/postgres/test-database'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { Pool } from 'pg'
import { expect, test } from 'vitest'
import { run } from '../../src/main.ts'
import { createThroughline } from '../../src/serve/create-throughline.ts'
import { knownSecrets } from '../../src/serve/install.ts'
import { startFailure } from '../../src/serve/serve-command.ts'
import { settingsFromEnv } from '../../src/settings/settings.ts'
import { fakeTerminal } from '../fake-terminal.ts'
import { startProgram } from '../start-program.ts'

const chat = 'chat-1'
const question = { id: 'question', role: 'user', parts: [{ type: 'text', text: 'Hello!' }] }

test('a server keeps everything in Postgres, and two of them show the same chat', async () => {
  await using database = await testDatabase()
  await using folder = await temporaryFolder()
  const env = { THROUGHLINE_LOG: 'silent', DATABASE_URL: database.url }
  const open = (name: string) =>
    createThroughline({ env, data: `${folder.path}/${name}`, hosts: ['example'] })
  await using one = await open('one')
  await using other = await open('other')
  const body = JSON.stringify({ id: chat, messages: [question] })
  const headers = { 'content-type': 'application/json' }
  const sent = await one.fetch(new Request('http://example/api/chat', { method: 'POST', headers, body }))
  expect(sent.status).toBe(200)
  expect(await sent.text()).toContain('[DONE]')
  const loaded = await other.fetch(new Request(`http://example/api/chats/${chat}/messages`))
  expect(await loaded.json()).toMatchObject({
    messages: [{ id: 'question' }, { role: 'assistant', metadata: { status: 'finished' } }],
  })

  const terminal = fakeTerminal({ ...env, NO_COLOR: '1' })
  expect(await run(['replay', chat], terminal.shell)).toBe(0)
  expect(terminal.text).toContain('Hello!')
})

test.each([
  ['nonsense', 'DATABASE_URL: it is not a URL. Write it as postgres://user:password@host:5432/database.'],
  ['mysql://root:geheim@db/app', 'DATABASE_URL: "mysql://" is not Postgres.'],
  ['postgres:///app', 'DATABASE_URL: it names no host.'],
  ['postgres://ada:geheim@127.0.0.1:1/app', 'DATABASE_URL: Nothing listens on 127.0.0.1:1.'],
])(
  'a database that cannot be used is refused in one sentence, without its password: %s',
  async (url, expected) => {
    await using folder = await temporaryFolder()
    const env = { THROUGHLINE_LOG: 'silent', DATABASE_URL: url }
    const error: unknown = await createThroughline({ env, data: folder.path }).catch(reason => reason)
    const settings = { ...settingsFromEnv({}), postgres: { url } }
    const sentence = startFailure(error, settings)?.message
    expect(sentence).toContain(expected)
    expect(sentence).not.toContain('geheim')
    expect(sentence).not.toContain('\n')
  },
)

test('an older release does not start on tables from which a newer one has taken something, and says so', async () => {
  await using database = await testDatabase()
  const pool = new Pool({ connectionString: database.url, max: 1 })
  const taken: Migration = { name: 'taken away', statements: ['drop table approvals'], breaks: true }
  await migratePostgres(pool, { known: [...migrations, taken] })
  await pool.end()
  await using folder = await temporaryFolder()
  const env = { THROUGHLINE_LOG: 'silent', DATABASE_URL: database.url }
  const { code, output, errors } = await startProgram(['serve'], { ...env, PORT: '0' }, { cwd: folder.path })
    .ended
  const sentence = `The database has schema version ${migrations.length + 1}, which programs that know only ${migrations.length} cannot use. Use the newer program that made it.`
  expect({ code, output, errors }).toEqual({ code: 1, output: '', errors: `DATABASE_URL: ${sentence}\n` })
})

test('the password of the database is a secret, as it is written and as it is meant', () => {
  const env = { DATABASE_URL: 'postgres://ada:se%23cret-word@db/app' }
  expect(knownSecrets(env, {})).toEqual(expect.arrayContaining(['se%23cret-word', 'se#cret-word']))
})

test('a place to listen without a database is refused', () => {
  expect(() => settingsFromEnv({ DATABASE_LISTEN_URL: 'postgres://db/app' })).toThrow('it needs DATABASE_URL')
})

test('there is nothing to compact in Postgres, which the command says', async () => {
  const terminal = fakeTerminal({ DATABASE_URL: 'postgres://db/app' })
  expect(await run(['compact'], terminal.shell)).toBe(1)
  expect(terminal.text).toContain('autovacuum')
})
