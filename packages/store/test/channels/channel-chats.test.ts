import { logName } from '@throughline/log'
import { appendAtEnd } from '@throughline/testing/log/append-at-end'
import { messageIdOf, runIdOf } from '@throughline/testing/log/entries-of'
import {
  ada,
  adasChat,
  at,
  bob,
  bobsChat,
  chatId,
  startOf,
  testChat,
  testRun,
} from '@throughline/testing/store/store-rows'
import { temporaryStores } from '@throughline/testing/store/temporary-store'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../src/open/open-store.ts'

const place = { channel: 'telegram', target: '{"chatId":5}' } as const

/** Writes entries into the chat's log, and answers where it ends then. */
async function write({ log }: Store, count: number, ownerId = ada) {
  const lease = await log.acquire(logName({ ownerId, chatId }))
  const draft = {
    runId: runIdOf('run'),
    messageId: messageIdOf('answer'),
    chunk: { type: 'start-step' },
  } as const
  const entries = await appendAtEnd(
    log,
    lease,
    Array.from({ length: count }, () => draft),
  )
  return { epoch: lease.head.epoch, seq: entries.at(-1)?.seq ?? 0 }
}

describe.each(temporaryStores)('on $name', ({ temporaryStore }) => {
  test('tying a chat makes it, with nothing delivered and nobody in the agent’s place', async () => {
    await using context = await temporaryStore()
    const { chats, channelChats } = context.store
    await channelChats.tie(ada, testChat(), place)
    expect(await chats.get(adasChat)).toEqual(testChat())
    expect(await channelChats.get(adasChat)).toEqual({
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
    await channelChats.takeOver(adasChat, 'Ann')
    await outbox.advance(adasChat, { epoch: 'e', seq: 7 })
    await channelChats.tie(ada, testChat({ title: 'Another' }), { ...place, target: '{"chatId":6}' })
    expect(await channelChats.get(adasChat)).toMatchObject({
      target: '{"chatId":6}',
      takenOverBy: 'Ann',
      delivered: { epoch: 'e', seq: 7 },
    })
    expect(await chats.get(adasChat)).toMatchObject({ title: 'A title' })
  })

  test('a chat is taken over and given back; one that is in no channel is not', async () => {
    await using context = await temporaryStore()
    const { chats, channelChats } = context.store
    await chats.create(ada, testChat())
    expect(await channelChats.takeOver(adasChat, 'Ann')).toBe(false)
    await channelChats.tie(ada, testChat(), place)
    expect(await channelChats.takeOver(adasChat, 'Ann')).toBe(true)
    expect(await channelChats.get(adasChat)).toMatchObject({ takenOverBy: 'Ann' })
    expect(await channelChats.takeOver(adasChat, undefined)).toBe(true)
    expect(await channelChats.takeOver(adasChat, undefined)).toBe(true)
    expect(await channelChats.get(adasChat)).toMatchObject({ takenOverBy: undefined })
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
    await outbox.advance(adasChat, ends[0] ?? { epoch: '', seq: 0 })
    expect(await owners()).toEqual([bob])
    await write(context.store, 1, ada)
    expect(await owners()).toEqual([ada, bob])
  })

  test('of a log that was made anew nothing has been delivered', async () => {
    await using context = await temporaryStore()
    const { channelChats, outbox, log } = context.store
    await channelChats.tie(ada, testChat(), place)
    await outbox.advance(adasChat, await write(context.store, 9))
    await log.remove(logName(adasChat))
    expect(await channelChats.undelivered()).toEqual([])
    await write(context.store, 1)
    expect(await channelChats.undelivered()).toHaveLength(1)
  })

  test('a chat that is removed is in no channel any more, and has nothing on its way', async () => {
    await using context = await temporaryStore()
    const { chats, channelChats, outbox } = context.store
    await channelChats.tie(ada, testChat(), place)
    await outbox.add(adasChat, { runId: 'run', index: 0, body: '{}' })
    await chats.remove(adasChat, at(0))
    expect(await channelChats.get(adasChat)).toBeUndefined()
    expect(await outbox.load(adasChat)).toEqual([])
  })

  test('another owner’s chat of the same id is another chat', async () => {
    await using context = await temporaryStore()
    const { channelChats, chatList } = context.store
    await channelChats.tie(ada, testChat(), place)
    expect(await channelChats.get(bobsChat)).toBeUndefined()
    expect(await channelChats.takeOver(bobsChat, 'Bob')).toBe(false)
    expect(await chatList.newest(bob, { limit: 10 })).toEqual([])
    expect(await chatList.newest(ada, { limit: 10 })).toMatchObject([{ id: 'chat', channel: 'telegram' }])
  })

  describe('a message of a chat that was removed', () => {
    const incoming = { messageId: 'question', at: at(10) }

    /** A chat in a channel, with one message, that is removed at minute 5. */
    async function removeWithMessage({ chats, channelChats, runs }: Store, isInChannel = true) {
      if (isInChannel) await channelChats.tie(ada, testChat(), place)
      const run = testRun('run')
      await runs.claim(run, startOf(run))
      await chats.remove(adasChat, at(5))
    }

    test('does not tie it again, and leaves no trace', async () => {
      await using context = await temporaryStore()
      const { chats, channelChats } = context.store
      await removeWithMessage(context.store)
      expect(await channelChats.tie(ada, testChat(), { ...place, incoming })).toBe(false)
      expect(await chats.get(adasChat)).toBeUndefined()
      expect(await channelChats.get(adasChat)).toBeUndefined()
    })

    test('is known also when the chat was tied again for another', async () => {
      await using context = await temporaryStore()
      const { channelChats } = context.store
      await removeWithMessage(context.store)
      const another = { ...incoming, messageId: 'another' }
      expect(await channelChats.tie(ada, testChat(), { ...place, incoming: another })).toBe(true)
      expect(await channelChats.tie(ada, testChat(), { ...place, target: 'elsewhere', incoming })).toBe(false)
      expect(await channelChats.get(adasChat)).toMatchObject(place)
    })

    test('is its owner’s alone', async () => {
      await using context = await temporaryStore()
      await removeWithMessage(context.store)
      expect(await context.store.channelChats.tie(bob, testChat(), { ...place, incoming })).toBe(true)
    })

    test('is forgotten after a quarter of an hour', async () => {
      await using context = await temporaryStore()
      const { channelChats } = context.store
      await removeWithMessage(context.store)
      const tie = (minute: number) => {
        return channelChats.tie(ada, testChat(), { ...place, incoming: { ...incoming, at: at(minute) } })
      }
      expect(await tie(20)).toBe(false)
      expect(await tie(21)).toBe(true)
    })

    test('is forgotten by itself alone: a later removal keeps what was removed a short time before', async () => {
      await using context = await temporaryStore()
      const { chats, channelChats } = context.store
      await removeWithMessage(context.store)
      await chats.create(ada, testChat({ id: 'other' }))
      await chats.remove({ ownerId: ada, chatId: testChat({ id: 'other' }).id }, at(19))
      expect(await channelChats.tie(ada, testChat(), { ...place, incoming })).toBe(false)
    })

    test('that was in no channel means nothing', async () => {
      await using context = await temporaryStore()
      await removeWithMessage(context.store, false)
      expect(await context.store.channelChats.tie(ada, testChat(), { ...place, incoming })).toBe(true)
    })
  })
})
