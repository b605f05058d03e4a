import { type LogName, logName } from '@throughline/log'
import { isChatId, isMessageId } from '@throughline/protocol'
import { idOf } from '@throughline/testing/log/id-of'
import { textDraft } from '@throughline/testing/log/log-drafts'
import { startOwnPostgres } from '@throughline/testing/postgres/own-postgres'
import { ada, adasChat, startOf, testChat, testRun } from '@throughline/testing/store/store-rows'
import { expect, test } from 'vitest'
import { openPostgresStore } from '../../src/open/open-postgres-store.ts'
import type { Store } from '../../src/open/store.ts'

/** The server writes what it has confirmed to its disk ten seconds later. */
const careless = { synchronous_commit: 'off', wal_writer_delay: '10s' }

test('what was confirmed survives a crash of a server that does not wait for its disk', async () => {
  await using server = await startOwnPostgres(careless)
  const log = logName(adasChat)
  const run = testRun('run')
  const question = idOf(isMessageId, run.userMessageId)

  const crashAfter = async (work: (store: Store) => Promise<unknown>) => {
    const store = await openPostgresStore(server.url)
    await work(store)
    await server.crash()
    await store.close()
  }
  // One statement, several statements, and an append; each of them is the last one before a crash.
  await crashAfter(({ chats }) => chats.create(ada, testChat()))
  await crashAfter(async ({ chats }) => {
    for (const id of ['second', 'third']) await chats.create(ada, testChat({ id }))
  })
  await crashAfter(({ runs }) => runs.claim(run, startOf(run)))
  let position = { epoch: '', seq: 0 }
  await crashAfter(async store => {
    const lease = await store.log.acquire(log)
    await store.log.append(lease, 0, [textDraft('one'), textDraft('two')])
    await store.log.append(lease, 2, [textDraft('three')])
    position = { ...lease.head, seq: 3 }
  })

  // A lease that a crash takes back could be given to two holders.
  let fence = 0
  await crashAfter(async store => {
    fence = (await store.log.acquire(log)).fence
  })
  const trimmed = logName({ ...adasChat, chatId: idOf(isChatId, 'trimmed') })
  const removed = logName({ ...adasChat, chatId: idOf(isChatId, 'removed') })
  const begin = async ({ log: logs }: Store, name: LogName) =>
    logs.append(await logs.acquire(name), 0, [textDraft('one')])
  await crashAfter(async store => {
    await begin(store, trimmed)
    await store.log.trim(trimmed, 1)
  })
  await crashAfter(async store => {
    await begin(store, removed)
    await store.log.remove(removed)
  })

  const store = await openPostgresStore(server.url)
  const start = { ...(await store.log.open(trimmed)), seq: 0 }
  await expect(store.log.read(trimmed, start, 1)).rejects.toMatchObject({ code: 'unknown-position' })
  expect(await store.log.open(removed)).toMatchObject({ seq: 0 })
  expect((await store.log.acquire(log)).fence).toBeGreaterThan(fence)
  expect(await store.chats.list(ada, { limit: 5 })).toHaveLength(3)
  expect(await store.runs.ofUserMessage(adasChat, question)).toMatchObject({ id: 'run' })
  expect(await store.log.open(log)).toEqual(position)
  await store.close()
})

test('a server that may lose what it has confirmed is reported, once and in plain words', async () => {
  await using server = await startOwnPostgres({ ...careless, fsync: 'off', full_page_writes: 'off' })
  const reports: string[] = []
  const store = await openPostgresStore(server.url, { report: problem => reports.push(problem) })
  await store.close()
  expect(reports).toEqual([
    expect.stringContaining('synchronous_commit = off'),
    expect.stringContaining('fsync = off'),
    expect.stringContaining('full_page_writes = off'),
  ])
})

test('a server without fsync gives every log another epoch when it was restarted, because nobody knows what it has lost', async () => {
  await using server = await startOwnPostgres({ fsync: 'off' })
  const log = logName(adasChat)
  const epochs: string[] = []
  for (const isCrashed of [false, false, true]) {
    if (isCrashed) await server.crash()
    const store = await openPostgresStore(server.url)
    epochs.push((await store.log.open(log)).epoch)
    await store.close()
  }
  expect(epochs[1]).toBe(epochs[0])
  expect(epochs[2]).not.toBe(epochs[0])
})
