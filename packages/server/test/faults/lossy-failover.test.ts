import type { Agent, AgentEvent } from '@throughline/agents'
import type { EntryDraft } from '@throughline/protocol'
import type { Store } from '@throughline/store'
import { openPostgresStore } from '@throughline/store/testing'
import { finish, heldScript, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { hookChannels, writeToHook } from '@throughline/testing/channels/channel-server'
import { startWebhookReceiver } from '@throughline/testing/channels/webhook-receiver'
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
  await using answering = await startAnswering([say('This is kept.'), step, say('This was shown.')])
  const { viewer } = await answering.loseShown()
  expect((await viewer.rest()).toString()).toContain('event: reset')
  await answering.untilSaved()
  expect(await answering.shown()).toEqual(['This is kept.', 'data-continued', 'This comes later.'])
})

test.concurrent('an answer whose end a failover has lost right before it was saved goes on, and its log gets an end', async () => {
  let hasLost = false
  await using answering = await startAnswering(
    [say('This is kept.'), step, say('This was shown.'), finish],
    (store, url) => ({
      ...store,
      runs: {
        ...store.runs,
        async end(run, end) {
          if (!hasLost) await loseEntries(url, 'This was shown.')
          hasLost = true
          return store.runs.end(run, end)
        },
      },
    }),
  )
  answering.letGo()
  await answering.untilSaved()
  expect(await answering.shown()).toContain('This comes later.')
  await using viewer = await answering.watch()
  await viewer.until('"type":"finish"')
  expect(viewer.bytes.toString()).toContain('This comes later.')
  expect(viewer.bytes.toString()).not.toContain('This was shown.')
})

test.concurrent('when a failover loses entries of an answer right while it is taken over, it goes on from what is left', async () => {
  let hasLost = false
  await using answering = await startAnswering(
    [say('This is kept.'), step, say('This is lost later.'), step, say('This was shown.')],
    (store, url) => ({
      ...store,
      log: {
        ...store.log,
        // Whoever takes the run over has read its log, and now writes for the first time.
        async append(lease, after, drafts) {
          if (isGoingOn(drafts) && !hasLost) {
            hasLost = true
            await loseEntries(url, 'This is lost later.')
          }
          return store.log.append(lease, after, drafts)
        },
      },
    }),
  )
  await answering.loseShown()
  await answering.untilSaved()
  expect(hasLost).toBe(true)
  expect(await answering.shown()).toEqual(['This is kept.', 'data-continued', 'This comes later.'])
})

test.concurrent('when a failover loses that a run was taken over, nothing is written before it is taken over again', async () => {
  const takenOver: unknown[] = []
  const written: unknown[] = []
  await using answering = await startAnswering(
    [say('This is kept.'), step, say('This was shown.')],
    (store, url) => ({
      ...store,
      runs: {
        ...store.runs,
        async takeOver(run) {
          const taken = await store.runs.takeOver(run)
          if (takenOver.push(taken?.run.attempt) === 1)
            await onDatabase(url, ['update runs set attempt = attempt - 1'])
          return taken
        },
      },
      log: {
        ...store.log,
        async append(lease, after, drafts) {
          if (isGoingOn(drafts)) written.push((await store.runs.unfinished())[0]?.attempt)
          return store.log.append(lease, after, drafts)
        },
      },
    }),
  )
  await answering.loseShown()
  await answering.untilSaved()
  expect(takenOver).toEqual([1, 1])
  expect(written).toEqual([1])
})

test.concurrent('an answer is sent to its channel although a failover has lost that its chat belongs there', async () => {
  await using receiver = await startWebhookReceiver()
  await using database = await migratedTestDatabase()
  const store = await openPostgresStore(database.url)
  const losing: Store = {
    ...store,
    runs: {
      ...store.runs,
      // The chat was tied to the channel. The run is claimed on the standby that took over.
      async claim(run, start) {
        await onDatabase(database.url, ['delete from channel_chats'])
        return store.runs.claim(run, start)
      },
    },
  }
  const channels = hookChannels(receiver.url)
  await using server = await startTestServer({ channels, openStore: async () => opened(losing) })
  expect((await writeToHook(server.url)).status).toBe(202)
  await receiver.until(shown => shown.length === 2)
})

const step = { type: 'step-end' } as const

/** Starts a server on Postgres, and an answer that says `before`, and goes on after a crash. */
async function startAnswering(
  before: readonly AgentEvent[],
  around: (store: Store, url: string) => Store = store => store,
) {
  const { script, letGo } = heldScript({ before, after: [say(' This is never written.')] })
  const agent: Agent = {
    ...scriptedAgent('assistant', request =>
      request.answerSoFar === undefined && typeof script === 'function'
        ? script(request)
        : [say('This comes later.'), finish],
    ),
    continues: true,
  }
  await using resources = new AsyncDisposableStack()
  const database = resources.use(await migratedTestDatabase())
  const store = await openPostgresStore(database.url)
  const openStore = async () => opened(around(store, database.url))
  const server = resources.use(await startTestServer({ agents: [agent], openStore }))
  await submit(server.url)
  const watch = async () => new SseBytes(await fetch(`${server.url}/api/chats/chat/log`))
  const kept = resources.move()
  return {
    letGo,
    watch,
    /** Loses the entry with the text "This was shown." when a viewer has it. */
    async loseShown() {
      const viewer = kept.use(await watch())
      await viewer.until('This was shown.')
      await loseEntries(database.url, 'This was shown.')
      letGo()
      return { viewer }
    },
    untilSaved: () =>
      until(async () => (await store.runs.unfinished()).length === 0, { what: 'the run has ended' }),
    /** Returns what the finished answer shows. */
    async shown() {
      const { metadata, parts } = await loadAnswer(server.url)
      expect(metadata).toMatchObject({ status: 'finished' })
      const texts = parts.map(part => (part.type === 'text' ? part.text : part.type))
      return texts.filter(each => !['', 'step-start'].includes(each))
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

function isGoingOn(drafts: readonly EntryDraft[]): boolean {
  return drafts.some(({ chunk }) => chunk.type === 'data-continued')
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
