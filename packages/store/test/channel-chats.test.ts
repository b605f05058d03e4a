import { logName } from '@throughline/log/log-store'
import { messageIdOf, runIdOf } from '@throughline/testing/entries-of'
import { ada, bob, chatId, testChat } from '@throughline/testing/store-rows'
import { temporaryStore } from '@throughline/testing/temporary-store'
import { expect, test } from 'vitest'
import type { Store } from '../src/open-store.ts'

const place = { channel: 'telegram', target: '{"chatId":5}' } as const

/** Writes entries into the chat's log, and answers where it ends then. */
async function write({ log }: Store, count: number, ownerId = ada) {
  const lease = await log.acquire(logName(ownerId, chatId))
  const draft = {
    runId: runIdOf('run'),
    messageId: messageIdOf('answer'),
    chunk: { type: 'start-step' },
  } as const
  const entries = await log.append(
    lease,
    Array.from({ length: count }, () => draft),
  )
  return { epoch: lease.head.epoch, seq: entries.at(-1)?.seq ?? 0 }
}

test('tying a chat makes it, with nothing delivered and nobody in the agent’s place', async () => {
  await using context = await temporaryStore()
  const { chats, channelChats } = context.store
  await channelChats.tie(ada, testChat(), place)
  expect(await chats.get(ada, chatId)).toEqual(testChat())
  expect(await channelChats.get(ada, chatId)).toEqual({
    ownerId: ada,
    chatId,
    ...place,
    delivered: { epoch: '', seq: 0 },
    takenOverBy: undefined,
  })
})

test('tying it again changes its place, no more', async () => {
  await using context = await temporaryStore()
  const { chats, channelChats, outbox } = context.store
  await channelChats.tie(ada, testChat(), place)
  await channelChats.takeOver(ada, chatId, 'Ann')
  await outbox.advance(ada, chatId, { epoch: 'e', seq: 7 })
  await channelChats.tie(ada, testChat({ title: 'Another' }), { ...place, target: '{"chatId":6}' })
  expect(await channelChats.get(ada, chatId)).toMatchObject({
    target: '{"chatId":6}',
    takenOverBy: 'Ann',
    delivered: { epoch: 'e', seq: 7 },
  })
  expect(await chats.get(ada, chatId)).toMatchObject({ title: 'A title' })
})

test('a chat is taken over and given back; one that is in no channel is not', async () => {
  await using context = await temporaryStore()
  const { chats, channelChats } = context.store
  await chats.create(ada, testChat())
  expect(await channelChats.takeOver(ada, chatId, 'Ann')).toBe(false)
  await channelChats.tie(ada, testChat(), place)
  expect(await channelChats.takeOver(ada, chatId, 'Ann')).toBe(true)
  expect(await channelChats.get(ada, chatId)).toMatchObject({ takenOverBy: 'Ann' })
  expect(await channelChats.takeOver(ada, chatId, undefined)).toBe(true)
  expect(await channelChats.takeOver(ada, chatId, undefined)).toBe(true)
  expect(await channelChats.get(ada, chatId)).toMatchObject({ takenOverBy: undefined })
})

test('undelivered is every chat whose log has more than was delivered, of every owner', async () => {
  await using context = await temporaryStore()
  const { channelChats, outbox, chats } = context.store
  for (const owner of [ada, bob]) await channelChats.tie(owner, testChat(), place)
  // A chat that is in no channel has a log too.
  await chats.create(ada, testChat({ id: 'page' }))
  expect(await channelChats.undelivered()).toEqual([])
  const ends = [await write(context.store, 3, ada), await write(context.store, 2, bob)]
  const owners = async () => (await channelChats.undelivered()).map(({ ownerId }) => ownerId).toSorted()
  expect(await owners()).toEqual([ada, bob])
  await outbox.advance(ada, chatId, ends[0] ?? { epoch: '', seq: 0 })
  expect(await owners()).toEqual([bob])
  await write(context.store, 1, ada)
  expect(await owners()).toEqual([ada, bob])
})

test('of a log that was made anew nothing has been delivered', async () => {
  await using context = await temporaryStore()
  const { channelChats, outbox, log } = context.store
  await channelChats.tie(ada, testChat(), place)
  await outbox.advance(ada, chatId, await write(context.store, 9))
  await log.remove(logName(ada, chatId))
  expect(await channelChats.undelivered()).toEqual([])
  await write(context.store, 1)
  expect(await channelChats.undelivered()).toHaveLength(1)
})

test('a chat that is removed is in no channel any more, and has nothing on its way', async () => {
  await using context = await temporaryStore()
  const { chats, channelChats, outbox } = context.store
  await channelChats.tie(ada, testChat(), place)
  await outbox.add(ada, chatId, { runId: 'run', index: 0, body: '{}' })
  await chats.remove(ada, chatId)
  expect(await channelChats.get(ada, chatId)).toBeUndefined()
  expect(await outbox.load(ada, chatId)).toEqual([])
})

test('another owner’s chat of the same id is another chat', async () => {
  await using context = await temporaryStore()
  const { channelChats } = context.store
  await channelChats.tie(ada, testChat(), place)
  expect(await channelChats.get(bob, chatId)).toBeUndefined()
  expect(await channelChats.takeOver(bob, chatId, 'Bob')).toBe(false)
  expect(await channelChats.channelsOf(bob)).toEqual(new Map())
  expect(await channelChats.channelsOf(ada)).toEqual(new Map([['chat', 'telegram']]))
})
