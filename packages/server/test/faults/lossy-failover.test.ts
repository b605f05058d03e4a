import type { Agent } from '@throughline/agents'
import type { Store } from '@throughline/store'
import { openPostgresStore } from '@throughline/store/testing'
import { finish, heldScript, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { loadAnswer, submit } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { migratedTestDatabase } from '@throughline/testing/postgres/test-database'
import { startTestServer } from '@throughline/testing/server/test-server'
import type { TemporaryStore } from '@throughline/testing/store/temporary-store'
import { until } from '@throughline/testing/waits/until'
import { Client } from 'pg'
import { expect, test } from 'vitest'

// Each waits until its node takes the run over again, so they run side by side.
test.concurrent('when a failover has lost the newest entries of an answer, its viewers are reset, and it goes on from what is left', async () => {
  const { script, letGo } = heldScript({
    before: [say('This is kept.'), { type: 'step-end' }, say('This was shown.')],
    after: [say(' This is never written.')],
  })
  const agent: Agent = {
    ...scriptedAgent('assistant', request =>
      request.answerSoFar === undefined && typeof script === 'function'
        ? script(request)
        : [say('This comes later.'), finish],
    ),
    continues: true,
  }
  await using database = await migratedTestDatabase()
  const store = await openPostgresStore(database.url)
  await using server = await startTestServer({
    agents: [agent],
    openStore: async () => opened(store),
  })
  await submit(server.url)
  await using viewer = new SseBytes(await fetch(`${server.url}/api/chats/chat/log`))
  await viewer.until('This was shown.')
  await loseEntries(database.url, 'This was shown.')
  letGo()

  expect((await viewer.rest()).toString()).toContain('event: reset')
  await untilSaved(store)
  const answer = await loadAnswer(server.url)
  expect(answer.metadata).toMatchObject({ status: 'finished' })
  const shown = answer.parts.map(part => (part.type === 'text' ? part.text : part.type))
  expect(shown.filter(each => !['', 'step-start'].includes(each))).toEqual([
    'This is kept.',
    'data-continued',
    'This comes later.',
  ])
}, 60_000)

test.concurrent('an answer whose end a failover has lost right before it was saved goes on, and its log gets an end', async () => {
  const agent: Agent = {
    ...scriptedAgent('assistant', request =>
      request.answerSoFar === undefined
        ? [say('This is kept.'), { type: 'step-end' }, say('This was shown.'), finish]
        : [say('This comes later.'), finish],
    ),
    continues: true,
  }
  await using database = await migratedTestDatabase()
  const store = await openPostgresStore(database.url)
  let hasLost = false
  const losing: Store = {
    ...store,
    runs: {
      ...store.runs,
      async end(run, end) {
        if (!hasLost) await loseEntries(database.url, 'This was shown.')
        hasLost = true
        return store.runs.end(run, end)
      },
    },
  }
  await using server = await startTestServer({ agents: [agent], openStore: async () => opened(losing) })
  await submit(server.url)

  await untilSaved(store)
  expect((await loadAnswer(server.url)).metadata).toMatchObject({ status: 'finished' })
  await using viewer = new SseBytes(await fetch(`${server.url}/api/chats/chat/log`))
  await viewer.until('"type":"finish"')
  expect(viewer.bytes.toString()).toContain('This comes later.')
  expect(viewer.bytes.toString()).not.toContain('This was shown.')
}, 60_000)

test.concurrent('when a failover loses entries of an answer right while it is taken over, it goes on from what is left', async () => {
  const { script, letGo } = heldScript({
    before: [
      say('This is kept.'),
      { type: 'step-end' },
      say('This is lost later.'),
      { type: 'step-end' },
      say('This was shown.'),
    ],
    after: [say(' This is never written.')],
  })
  const agent: Agent = {
    ...scriptedAgent('assistant', request =>
      request.answerSoFar === undefined && typeof script === 'function'
        ? script(request)
        : [say('This comes later.'), finish],
    ),
    continues: true,
  }
  await using database = await migratedTestDatabase()
  const store = await openPostgresStore(database.url)
  let hasLost = false
  const losing: Store = {
    ...store,
    log: {
      ...store.log,
      // Whoever takes the run over has read its log, and now writes for the first time.
      async append(lease, after, drafts) {
        const isTakenOver = drafts.some(({ chunk }) => chunk.type === 'data-continued')
        if (isTakenOver && !hasLost) {
          hasLost = true
          await loseEntries(database.url, 'This is lost later.')
        }
        return store.log.append(lease, after, drafts)
      },
    },
  }
  await using server = await startTestServer({ agents: [agent], openStore: async () => opened(losing) })
  await submit(server.url)
  await using viewer = new SseBytes(await fetch(`${server.url}/api/chats/chat/log`))
  await viewer.until('This was shown.')
  await loseEntries(database.url, 'This was shown.')
  letGo()

  await untilSaved(store)
  expect(hasLost).toBe(true)
  const answer = await loadAnswer(server.url)
  expect(answer.metadata).toMatchObject({ status: 'finished' })
  const shown = answer.parts.map(part => (part.type === 'text' ? part.text : part.type))
  expect(shown.filter(each => !['', 'step-start'].includes(each))).toEqual([
    'This is kept.',
    'data-continued',
    'This comes later.',
  ])
}, 60_000)

test.concurrent('when a failover loses that a run was taken over, nothing is written before it is taken over again', async () => {
  const { script, letGo } = heldScript({
    before: [say('This is kept.'), { type: 'step-end' }, say('This was shown.')],
    after: [say(' This is never written.')],
  })
  const agent: Agent = {
    ...scriptedAgent('assistant', request =>
      request.answerSoFar === undefined && typeof script === 'function'
        ? script(request)
        : [say('This comes later.'), finish],
    ),
    continues: true,
  }
  await using database = await migratedTestDatabase()
  const store = await openPostgresStore(database.url)
  const takenOver: unknown[] = []
  const written: unknown[] = []
  const losing: Store = {
    ...store,
    runs: {
      ...store.runs,
      async takeOver(run) {
        const taken = await store.runs.takeOver(run)
        if (takenOver.push(taken?.run.attempt) === 1)
          await onDatabase(database.url, ['update runs set attempt = attempt - 1'])
        return taken
      },
    },
    log: {
      ...store.log,
      async append(lease, after, drafts) {
        if (drafts.some(({ chunk }) => chunk.type === 'data-continued')) {
          const [run] = await store.runs.unfinished()
          written.push(run?.attempt)
        }
        return store.log.append(lease, after, drafts)
      },
    },
  }
  await using server = await startTestServer({ agents: [agent], openStore: async () => opened(losing) })
  await submit(server.url)
  await using viewer = new SseBytes(await fetch(`${server.url}/api/chats/chat/log`))
  await viewer.until('This was shown.')
  await loseEntries(database.url, 'This was shown.')
  letGo()

  await untilSaved(store)
  expect(takenOver).toEqual([1, 1])
  expect(written).toEqual([1])
  expect((await loadAnswer(server.url)).metadata).toMatchObject({ status: 'finished' })
}, 60_000)

function untilSaved({ runs }: Store): Promise<unknown> {
  return until(async () => (await runs.unfinished()).length === 0, { what: 'every run is saved' })
}

function opened(store: Store): TemporaryStore {
  return {
    store,
    folder: '',
    reopen: () => Promise.reject(new Error()),
    [Symbol.asyncDispose]: () => store.close(),
  }
}

/** What a standby does that lacks the newest entries, and takes over. */
function loseEntries(url: string, from: string): Promise<void> {
  const lost = `select min(seq) from log_entries where chunk like '%${from}%'`
  return onDatabase(url, [
    `delete from log_entries where seq >= (${lost})`,
    "update logs set timeline = '00000000'",
  ])
}

async function onDatabase(url: string, statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    for (const each of statements) await client.query(each)
  } finally {
    await client.end()
  }
}
