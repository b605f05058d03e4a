import { textOf } from '@throughline/protocol'
import { openPostgresStore } from '@throughline/store/testing'
import { calling, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { ask, loadAnswer } from '@throughline/testing/http/chat-requests'
import { freshDatabase } from '@throughline/testing/postgres/fresh-database'
import { startOwnPostgres } from '@throughline/testing/postgres/own-postgres'
import { delegating } from '@throughline/testing/server/delegating-server'
import { startTestServer } from '@throughline/testing/server/test-server'
import { Client } from 'pg'
import { expect, test } from 'vitest'

const steps = 25
const chats = ['a', 'b', 'c', 'd', 'e', 'f']

test('while Postgres crashes and recovers again and again, all answers become whole', async () => {
  await using postgres = await startOwnPostgres()
  const { url } = await freshDatabase(postgres.url)
  const store = await openPostgresStore(url)
  // Every step reads the definitions, writes a call, and notes what it has used.
  const turns = Array.from({ length: steps }, (_, step) => [
    saying(`Step ${step}. `),
    calling('note', { text: `Note ${step}.` }, `note-${step}`),
  ])
  const model = scriptedModel({ master: [...turns, [saying('Done.')]] })
  await using server = await startTestServer({
    ...delegating({ model, toolKeys: ['note'], limits: { maxSteps: steps + 1 } }),
    openStore: async () => ({
      store,
      folder: '',
      reopen: () => Promise.reject(new Error()),
      [Symbol.asyncDispose]: () => store.close(),
    }),
  })
  let isOver = false
  const answers = Promise.all(
    chats.map(async chatId => {
      const response = await ask(server.url, { chatId })
      return { status: response.status, text: await response.text() }
    }),
  ).finally(() => {
    isOver = true
  })
  let crashes = 0
  for (; !isOver && crashes < 5; crashes += 1) await crash(url)
  expect(crashes).toBeGreaterThan(1)
  for (const { status, text } of await answers) {
    expect(status).toBe(200)
    expect(text).toContain('[DONE]')
  }
  for (const chatId of chats) {
    const answer = await loadAnswer(server.url, chatId)
    expect(answer.metadata).toMatchObject({ status: 'finished' })
    const said = textOf(answer)
    for (let step = 0; step < steps; step += 1) expect(said).toContain(`Step ${step}. `)
    const noted = JSON.stringify(answer.parts)
    for (let step = 0; step < steps; step += 1) expect(noted).toContain(`"noted":"Note ${step}."`)
  }
})

/**
 * Kills the process of one connection. Postgres then ends all others, and recovers from its WAL. Returns when it takes
 * connections again.
 */
async function crash(url: string): Promise<void> {
  const client = await connected(url)
  client.on('error', () => undefined)
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const ended = new Promise(resolve => client.once('end', resolve))
  process.kill(rows[0]?.pid ?? 0, 'SIGKILL')
  await ended
  await (await connected(url)).end()
}

async function connected(url: string): Promise<Client> {
  for (;;) {
    const client = new Client({ connectionString: url })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return client
    } catch {
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }
}
