import type { LogName, LogStore } from '@throughline/log'
import type { Entry } from '@throughline/protocol'
import { startFaultProxy } from '@throughline/testing/faults/fault-proxy'
import { endDraft, testLog, textDraft } from '@throughline/testing/log/log-drafts'
import { startFollowing } from '@throughline/testing/log/start-following'
import { createLogTables, openTestLog, testSecret } from '@throughline/testing/postgres/postgres-log'
import { proxiedUrl } from '@throughline/testing/postgres/proxied-url'
import { testDatabase } from '@throughline/testing/postgres/test-database'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { logHash } from '../../../src/postgres/log/followed-logs.ts'
import { logChannel } from '../../../src/postgres/log/ring-others.ts'
import { encryptNotifications } from '../../../src/postgres/notifications/encrypted-notifications.ts'
import { openNotifications } from '../../../src/postgres/notifications/notifications.ts'

/** Longer than any test waits. */
const never = 3_600_000

test('followers on another node see every entry once and in order, by the bell alone', async () => {
  await using database = await testDatabase()
  await createLogTables(database.url)
  await using writer = await openTestLog(database.url)
  await using reader = await openTestLog(database.url, { pollMs: never })
  const logs = Array.from({ length: 20 }, (_, index) => testLog(`chat-${index}`))
  const seen = await Promise.all(logs.map(log => startFollowing(reader.store, log)))
  const written = await Promise.all(logs.map(log => writeMany(writer.store, log)))
  for (const [index, { entries }] of seen.entries()) expect(await entries).toEqual(written[index])
})

test('so they do when entries are large, and when a commit has too many of them to tell', async () => {
  await using database = await testDatabase()
  await createLogTables(database.url)
  await using writer = await openTestLog(database.url)
  await using reader = await openTestLog(database.url, { pollMs: never })
  const texts = ['short', 'x'.repeat(5_000), '\t\n\u0000', '里'.repeat(700), 'x'.repeat(100_000), 'the last']
  const logs = Array.from({ length: 300 }, (_, index) => testLog(`chat-${index}`))
  const seen = await Promise.all(logs.map(log => startFollowing(reader.store, log)))
  const written = await Promise.all(logs.map(log => writeTexts(writer.store, log, texts)))
  for (const [index, { entries }] of seen.entries()) expect(await entries).toEqual(written[index])
})

test('ten followers of one log on another node get the same entry objects', async () => {
  await using database = await testDatabase()
  await createLogTables(database.url)
  await using writer = await openTestLog(database.url)
  await using reader = await openTestLog(database.url, { pollMs: never })
  const log = testLog('chat')
  const followers = await Promise.all(Array.from({ length: 10 }, () => startFollowing(reader.store, log)))
  await Promise.all(followers.map(({ isWaiting }) => isWaiting))
  await writeMany(writer.store, log)
  const [first = [], ...others] = await Promise.all(followers.map(({ entries }) => entries))
  for (const entries of others) expect(entries.at(-1)).toBe(first.at(-1))
})

test('followers are told that another node has removed their log', async () => {
  await using database = await testDatabase()
  await createLogTables(database.url)
  await using first = await openTestLog(database.url)
  await using second = await openTestLog(database.url, { pollMs: never })
  const log = testLog('chat')
  const lease = await first.store.acquire(log)
  await first.store.append(lease, 0, [textDraft('one'), textDraft('two')])
  const { entries } = await startFollowing(second.store, log)
  // The follower may hear of it before this process does.
  const told = expect(entries).rejects.toMatchObject({ code: 'unknown-position' })
  await first.store.remove(log)
  await told
})

test('entries arrive by the poll when notifications are lost', async () => {
  await using database = await testDatabase()
  await createLogTables(database.url)
  await using elsewhere = await testDatabase()
  await using writer = await openTestLog(database.url)
  // Notifications do not leave their database. So this node hears nothing.
  await using reader = await openTestLog(database.url, { notificationsUrl: elsewhere.url, pollMs: 50 })
  const log = testLog('chat')
  const { entries } = await startFollowing(reader.store, log)
  const written = await writeMany(writer.store, log)
  expect(await entries).toEqual(written)
})

test('a listening connection that is lost does not stall readers, and comes back', async () => {
  await using database = await testDatabase()
  await createLogTables(database.url)
  let connections = 0
  await using proxy = await startFaultProxy(database.url, () => {
    connections += 1
    return { type: 'none' }
  })
  await using writer = await openTestLog(database.url)
  await using reader = await openTestLog(database.url, {
    notificationsUrl: proxiedUrl(database.url, proxy),
    pollMs: never,
  })
  const log = testLog('chat')
  const lease = await writer.store.acquire(log)
  const follower = await startFollowing(reader.store, log)
  await follower.isWaiting
  proxy.resetAll()
  // Nobody hears of this one. The reader looks at its logs when it is connected again.
  await writer.store.append(lease, 0, [textDraft('unheard')])
  await expect.poll(() => follower.count()).toBe(1)
  expect(connections).toBeGreaterThan(1)
  await writer.store.append(lease, 1, [endDraft])
  expect(await follower.entries).toHaveLength(2)
})

test('a notification that is damaged, or about another epoch, adds nothing to a log', async () => {
  await using database = await testDatabase()
  await createLogTables(database.url)
  await using writer = await openTestLog(database.url)
  await using reader = await openTestLog(database.url, { pollMs: never })
  const log = testLog('chat')
  const { epoch } = (await writer.store.acquire(log)).head
  const follower = await startFollowing(reader.store, log)
  await follower.isWaiting
  const hash = logHash(log)
  const json = JSON.stringify(textDraft('damaged').chunk)
  const line = (fields: readonly unknown[]) => [hash, ...fields, 1, 'run', 'answer', json].join('\t')
  const next = line([epoch, 1])
  await using sender = await openSender(database.url)
  for (const payload of [
    ...['', '\n\n', '\t\t\t', hash, `${hash}\t`, `${hash} ${hash}`],
    ...[next.slice(0, -1), next.slice(0, 30), next.replace('\trun\t', '\tno id!\t')],
    ...[line(['other', 1]), ...['', 'NaN', -1, 0.5, 2, 1e300].map(seq => line([epoch, seq]))],
  ])
    await sender.send([{ channel: logChannel, payload }])
  const written = await writeMany(writer.store, log)
  expect(await follower.entries).toEqual(written)
})

/** Opens notifications that the test nodes can read. */
async function openSender(url: string) {
  const plain = await openNotifications(() => new Client({ connectionString: url }))
  const sender = encryptNotifications(plain, testSecret)
  return Object.assign(sender, { [Symbol.asyncDispose]: () => sender.close() })
}

function writeMany(store: LogStore, log: LogName): Promise<readonly Entry[]> {
  return writeTexts(
    store,
    log,
    Array.from({ length: 30 }, (_, index) => `${index}`),
  )
}

/** Appends one entry after the other, and the end. */
async function writeTexts(
  store: LogStore,
  log: LogName,
  texts: readonly string[],
): Promise<readonly Entry[]> {
  const lease = await store.acquire(log)
  const entries: Entry[] = []
  for (const text of texts) entries.push(...(await store.append(lease, entries.length, [textDraft(text)])))
  entries.push(...(await store.append(lease, entries.length, [endDraft])))
  return entries
}
