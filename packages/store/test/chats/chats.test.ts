import {
  ada,
  adasChat,
  at,
  endOf,
  startOf,
  testChat,
  testRun,
  userMessage,
} from '@throughline/testing/store/store-rows'
import { temporaryStores } from '@throughline/testing/store/temporary-store'
import { describe, expect, test } from 'vitest'

describe.each(temporaryStores)('on $name', ({ temporaryStore }) => {
  test('a chat is made once; making it again answers what is there', async () => {
    await using context = await temporaryStore()
    const { chats } = context.store
    expect(await chats.get(adasChat)).toBeUndefined()
    expect(await chats.create(ada, testChat())).toEqual(testChat())
    expect(await chats.create(ada, testChat({ title: 'Another', minute: 5 }))).toEqual(testChat())
    expect(await chats.list(ada, { limit: 10 })).toEqual([testChat()])
  })

  test('chats are listed by their last change, newest first, and at most as many as asked for', async () => {
    await using context = await temporaryStore()
    const { chats } = context.store
    for (const [id, minute] of [
      ['a', 1],
      ['b', 3],
      ['c', 2],
      ['d', 3],
    ] as const)
      await chats.create(ada, testChat({ id, minute }))
    const ids = async (limit: number) => (await chats.list(ada, { limit })).map(({ id }) => id)
    expect(await ids(10)).toEqual(['b', 'd', 'c', 'a'])
    expect(await ids(2)).toEqual(['b', 'd'])
    await chats.rename({ ownerId: ada, chatId: testChat({ id: 'a' }).id }, { title: 'Now first', at: at(9) })
    expect(await ids(1)).toEqual(['a'])
  })

  test('a new title replaces the old one, and a chat that is not there has none', async () => {
    await using context = await temporaryStore()
    const { chats } = context.store
    expect(await chats.rename(adasChat, { title: 'None', at: at(1) })).toBe(false)
    await chats.create(ada, testChat())
    const title = `量子 🧪 "quoted" -- '; drop table chats`
    expect(await chats.rename(adasChat, { title, at: at(2) })).toBe(true)
    expect(await chats.get(adasChat)).toEqual({ ...testChat({ title }), updatedAt: at(2) })
  })

  test('the first message of a chat makes the chat and gives it its title, later ones do not', async () => {
    await using context = await temporaryStore()
    const { chats, runs } = context.store
    const first = testRun('first')
    await runs.claim(first, startOf(first, { title: 'Hello?' }))
    await runs.end(first, endOf(first, [], { seq: 0 }))
    const second = testRun('second', { userMessageId: 'more', minute: 7 })
    await runs.claim(second, startOf(second, { title: 'And then?' }))
    expect(await chats.get(adasChat)).toEqual({ ...testChat({ title: 'Hello?' }), updatedAt: at(7) })
  })

  test('a chat that was made without a title gets the one of its first message', async () => {
    await using context = await temporaryStore()
    const { chats, runs } = context.store
    await chats.create(ada, testChat({ title: '' }))
    const run = testRun('run', { minute: 3 })
    await runs.claim(run, startOf(run, { title: 'Hello?' }))
    expect(await chats.get(adasChat)).toMatchObject({ title: 'Hello?', createdAt: at(0), updatedAt: at(3) })
  })

  test('removing a chat removes its messages, parts and runs, and nothing of other chats', async () => {
    await using context = await temporaryStore()
    const { chats, messages, runs } = context.store
    for (const id of ['chat', 'kept']) {
      const run = testRun(`run-of-${id}`, { chatId: id })
      await runs.claim(run, startOf(run))
      await runs.end(run, endOf(run, [userMessage('question')], { seq: 1 }))
      const going = testRun(`going-in-${id}`, { chatId: id, userMessageId: 'more' })
      await runs.claim(going, startOf(going))
    }
    expect(await chats.remove(adasChat, at(0))).toBe(true)
    expect(await chats.remove(adasChat, at(0))).toBe(false)
    expect(await messages.load(adasChat)).toBeUndefined()
    expect(await messages.find(adasChat, testRun('any').userMessageId)).toBeUndefined()
    expect(await runs.get(ada, testRun('run-of-chat').id)).toBeUndefined()
    expect((await runs.unfinished()).map(({ id }) => id)).toEqual(['going-in-kept'])
    expect(
      (await messages.load({ ownerId: ada, chatId: testChat({ id: 'kept' }).id }))?.messages,
    ).toHaveLength(2)
    await chats.create(ada, testChat())
    expect(await messages.load(adasChat)).toEqual({ messages: [], savedSeq: 0 })
  })
})
