import { randomBytes } from 'node:crypto'
import type { Entry } from '@throughline/protocol'
import { endDraft, testLog, textDraft } from '@throughline/testing/log/log-drafts'
import { startFollowing } from '@throughline/testing/log/start-following'
import { testDatabase } from '@throughline/testing/postgres/test-database'
import { adasChat } from '@throughline/testing/store/store-rows'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { openPostgresStore } from '../../../src/open/open-postgres-store.ts'
import type { Store } from '../../../src/open/store.ts'
import { logHash } from '../../../src/postgres/log/followed-logs.ts'
import { logChannel } from '../../../src/postgres/log/ring-others.ts'
import {
  channelOf,
  encryptNotifications,
  maxPlaintextBytes,
  type NotificationSecret,
} from '../../../src/postgres/notifications/encrypted-notifications.ts'
import { type Notifications, openNotifications } from '../../../src/postgres/notifications/notifications.ts'

/** Longer than any test waits. So a follower gets what it is told, and nothing else. */
const never = 3_600_000
const log = testLog('chat')
const schema = 'public'
const channels = [logChannel, 'throughline_signals'].map(name => channelOf(name, { schema }))

test('whoever connects without the key hears that something is said, and not what or by whom', async () => {
  await using database = await testDatabase()
  await using stores = await openStores(database.url)
  await using stranger = await openStranger(database.url)
  const [one, other] = stores.items
  const follower = await followAtEnd(other)
  await write(one, ['The word is swordfish.'])
  const rung = new Promise<void>(resolve => other.signals.onRing(adasChat, resolve))
  one.signals.ring(adasChat)
  await Promise.all([follower.entries, rung])
  await expect.poll(() => new Set(stranger.heard.map(({ channel }) => channel))).toEqual(new Set(channels))
  for (const { payload } of stranger.heard) {
    const decoded = Buffer.from(payload, 'base64').toString('latin1')
    const { ownerId, chatId } = adasChat
    for (const secret of ['swordfish', 'text-delta', `${ownerId}/${chatId}`, logHash(log)])
      expect(payload + decoded).not.toContain(secret)
  }
})

test('what somebody without the key makes up, damages or repeats is not shown', async () => {
  await using database = await testDatabase()
  await using stores = await openStores(database.url)
  await using stranger = await openStranger(database.url)
  const [one, other] = stores.items
  const follower = await followAtEnd(other)
  const lease = await one.log.acquire(log)
  const written = [...(await one.log.append(lease, 0, [textDraft('true')]))]
  await expect.poll(() => follower.count()).toBe(1)
  await expect.poll(() => stranger.heard.length).toBe(1)
  const [{ payload: heard } = { payload: '' }] = stranger.heard
  const json = JSON.stringify(textDraft('false').chunk)
  const forged = [logHash(log), lease.head.epoch, 2, 1, 'run', 'answer', json].join('\t')
  const [channel = ''] = channels
  for (const payload of [
    '',
    'x',
    forged,
    Buffer.from(forged).toString('base64'),
    ...damaged(heard),
    heard,
    heard,
  ])
    await stranger.send([{ channel, payload }])
  const ownKey = encryptNotifications(stranger, { key: randomBytes(32), schema })
  await ownKey.send([{ channel: logChannel, payload: forged }])
  for (const text of ['also true', 'true again'])
    written.push(...(await one.log.append(lease, written.length, [textDraft(text)])))
  written.push(...(await one.log.append(lease, written.length, [endDraft])))
  expect(await follower.entries).toEqual(written)
})

test('processes that start at the same moment on an empty database hear each other', async () => {
  await using database = await testDatabase()
  await using stores = await openStores(database.url)
  const [first] = stores.items
  const followers = await Promise.all(stores.items.map(followAtEnd))
  const written = await write(first, ['one', 'two'])
  for (const { entries } of followers) expect(await entries).toEqual(written)
})

test('a process that starts later hears the others: the key stays', async () => {
  await using database = await testDatabase()
  const keyIn = (store: Store) => store.sharedKeys.of('notifications')
  const before = await openPostgresStore(database.url)
  const key = await keyIn(before)
  await before.close()
  await using stores = await openStores(database.url)
  const [one, other] = stores.items
  expect(await Promise.all([keyIn(one), keyIn(other)])).toEqual([key, key])
  const follower = await followAtEnd(other)
  expect(await write(one, ['one'])).toEqual(await follower.entries)
})

test('a text of the greatest length arrives', async () => {
  await using database = await testDatabase()
  await using nodes = await openNodes(database.url, [secretOf('a'), secretOf('a'), secretOf('a')])
  const [one, other] = nodes.items
  const heard: string[] = []
  await other.listen('channel', text => heard.push(text))
  const texts = ['x'.repeat(maxPlaintextBytes), '里'.repeat(Math.floor(maxPlaintextBytes / 3)), '']
  await one.send(texts.map(payload => ({ channel: 'channel', payload })))
  await expect.poll(() => heard).toEqual(texts)
})

test('a copy of the tables in another schema has the same key, and hears nothing of the first', async () => {
  await using database = await testDatabase()
  await using nodes = await openNodes(database.url, [secretOf('a'), secretOf('a'), secretOf('b')])
  const [one, other, copy] = nodes.items
  await using stranger = await openStranger(database.url, [channelOf('channel', { schema: 'a' })])
  const heard: string[] = []
  await other.listen('channel', text => heard.push(`here: ${text}`))
  for (const channel of ['channel', 'another'])
    await copy.listen(channel, text => heard.push(`in the copy: ${text}`))
  await one.send([{ channel: 'channel', payload: 'first' }])
  await expect.poll(() => stranger.heard.length).toBe(1)
  // Not even when somebody passes the payload on to the channels of the copy.
  const passedOn = stranger.heard.flatMap(({ payload }) =>
    ['channel', 'another'].map(name => ({ channel: channelOf(name, { schema: 'b' }), payload })),
  )
  await stranger.send(passedOn)
  const last = { channel: 'channel', payload: 'last' }
  await copy.send([last])
  await one.send([last])
  await expect.poll(() => heard).toEqual(['here: first', 'here: last'])
})

const key = randomBytes(32)

function secretOf(schema: string): NotificationSecret {
  return { key, schema }
}

/** Returns a payload with one byte changed, at each place that has a meaning, and cut at some places. */
function damaged(payload: string): readonly string[] {
  const bytes = Buffer.from(payload, 'base64')
  const changed = [0, 11, 12, 27, 28, bytes.length - 1].map(index => {
    const copy = Buffer.from(bytes)
    copy[index] = (copy[index] ?? 0) ^ 1
    return copy
  })
  const cut = [0, 12, 27, 28, bytes.length - 1].map(length => bytes.subarray(0, length))
  return [...changed, ...cut].map(each => each.toString('base64'))
}

/** Follows the log in a store. Resolves when the follower waits for what it is told. */
async function followAtEnd(store: Store) {
  const follower = await startFollowing(store.log, log)
  await follower.isWaiting
  return follower
}

/** Appends one text after the other, and the end. */
async function write({ log: logs }: Store, texts: readonly string[]): Promise<readonly Entry[]> {
  const lease = await logs.acquire(log)
  const entries: Entry[] = []
  for (const draft of [...texts.map(text => textDraft(text)), endDraft])
    entries.push(...(await logs.append(lease, entries.length, [draft])))
  return entries
}

/** Opens stores on one database at the same moment, as processes do. */
async function openStores(url: string) {
  const open = () => openPostgresStore(url, { pollMs: never })
  return closable(await Promise.all([open(), open(), open()]))
}

/** Opens one connection with each secret. */
async function openNodes(url: string, secrets: Three<NotificationSecret>) {
  const open = async (secret: NotificationSecret) => encryptNotifications(await openPlain(url), secret)
  const [one, two, three] = secrets
  return closable(await Promise.all([open(one), open(two), open(three)]))
}

type Three<Item> = readonly [Item, Item, Item]

function closable<Item extends { close(): Promise<void> }>(items: Three<Item>) {
  return {
    items,
    async [Symbol.asyncDispose]() {
      await Promise.all(items.map(item => item.close()))
    },
  }
}

/** Somebody who may connect to the database, and knows everything but the key. */
async function openStranger(url: string, listened: readonly string[] = channels) {
  const plain = await openPlain(url)
  const heard: { readonly channel: string; readonly payload: string }[] = []
  for (const channel of listened) await plain.listen(channel, payload => heard.push({ channel, payload }))
  return Object.assign(plain, { heard, [Symbol.asyncDispose]: () => plain.close() })
}

function openPlain(url: string): Promise<Notifications> {
  return openNotifications(() => new Client({ connectionString: url }))
}
