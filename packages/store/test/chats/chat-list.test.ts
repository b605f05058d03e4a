import { isChatId } from '@throughline/protocol'
import { idOf } from '@throughline/testing/log/id-of'
import {
  ada,
  adasChat,
  at,
  bob,
  chatId,
  endOf,
  startOf,
  testChat,
  testRun,
} from '@throughline/testing/store/store-rows'
import { temporaryStores } from '@throughline/testing/store/temporary-store'
import { describe, expect, test } from 'vitest'

describe.each(temporaryStores)('on $name', ({ temporaryStore }) => {
  test('a chat is listed as idle, running, waiting for a decision, and idle with the time of its answer', async () => {
    await using context = await temporaryStore()
    const { chats, chatList, runs, approvals } = context.store
    const list = () => chatList.newest(ada, { limit: 10 })
    await chats.create(ada, testChat())
    expect(await list()).toEqual([{ ...testChat(), activity: 'idle' }])

    const run = testRun('run', { minute: 1 })
    await runs.claim(run, startOf(run))
    expect(await list()).toEqual([{ ...testChat(), updatedAt: at(1), activity: 'running' }])

    for (const id of ['first', 'second'])
      await approvals.open({
        ...adasChat,
        id,
        runId: run.id,
        messageId: 'answer',
        toolCallId: 'call',
        toolName: 'remove',
        inputHash: '',
        createdAt: at(2),
      })
    expect(await list()).toEqual([{ ...testChat(), updatedAt: at(1), activity: 'waiting' }])
    for (const id of ['first', 'second'])
      await approvals.settle(ada, id, { status: 'approved', reason: undefined, at: at(3) })
    expect(await list()).toMatchObject([{ activity: 'running' }])

    await runs.end(run, endOf(run, [], { seq: 0, minute: 4 }))
    expect(await list()).toEqual([{ ...testChat(), updatedAt: at(4), answeredAt: at(4), activity: 'idle' }])
    expect(await chatList.newest(bob, { limit: 10 })).toEqual([])
  })

  test('a change of messages is no answer: the chat is not running, and nothing new is to be read', async () => {
    await using context = await temporaryStore()
    const { chats, chatList, runs } = context.store
    await chats.create(ada, testChat())
    const change = { ...testRun('change'), kind: 'change' as const }
    await runs.claim(change, { ...startOf(change), userMessage: undefined })
    expect(await chatList.newest(ada, { limit: 10 })).toMatchObject([{ activity: 'idle' }])
    await runs.end(change, endOf(change, [], { seq: 0 }))
    const [listed] = await chatList.newest(ada, { limit: 10 })
    expect(listed).not.toHaveProperty('answeredAt')
  })

  test('the newest chats come first, some can be read by their ids, and a removed chat is in neither', async () => {
    await using context = await temporaryStore()
    const { chats, chatList } = context.store
    for (const [id, minute] of [
      ['a', 1],
      ['b', 3],
      ['c', 2],
    ] as const)
      await chats.create(ada, testChat({ id, minute }))
    const newest = async (limit: number) => (await chatList.newest(ada, { limit })).map(({ id }) => id)
    expect(await newest(10)).toEqual(['b', 'c', 'a'])
    expect(await newest(2)).toEqual(['b', 'c'])

    const [a, c] = [idOf(isChatId, 'a'), idOf(isChatId, 'c')]
    expect(await chatList.some(ada, [a, chatId])).toEqual([
      { ...testChat({ id: 'a', minute: 1 }), activity: 'idle' },
    ])
    expect(await chatList.some(bob, [a])).toEqual([])
    expect(await chatList.some(ada, [])).toEqual([])

    const removal = chats.remove({ ownerId: ada, chatId: c }, at(9))
    expect([await newest(10), await chatList.some(ada, [c])]).toEqual([['b', 'a'], []])
    await removal
    expect(await newest(10)).toEqual(['b', 'a'])
  })

  test('a pinned chat is listed however old it is, until it is unpinned, and pinning does not make it newer', async () => {
    await using context = await temporaryStore()
    const { chats, chatList } = context.store
    for (const [id, minute] of [
      ['old', 1],
      ['older', 0],
      ['new', 3],
    ] as const)
      await chats.create(ada, testChat({ id, minute }))
    const old = { ownerId: ada, chatId: idOf(isChatId, 'old') }
    const listed = async () =>
      (await chatList.newest(ada, { limit: 1 })).map(({ id, pinnedAt }) => [id, pinnedAt])
    expect(await chats.pin({ ownerId: bob, chatId: old.chatId }, at(5))).toBe(false)
    expect(await chats.pin(old, at(5))).toBe(true)
    expect(await listed()).toEqual([
      ['new', undefined],
      ['old', at(5)],
    ])
    expect((await chats.get(old))?.updatedAt).toBe(at(1))
    await chats.pin(old, undefined)
    expect(await listed()).toEqual([['new', undefined]])
  })

  test('everything that changes the list rings for its chat', async () => {
    await using context = await temporaryStore()
    const { chats, runs, signals } = context.store
    let rings = 0
    signals.onOwnerRing(ada, () => (rings += 1))
    const ringsDuring = async (work: () => Promise<unknown>) => {
      const before = rings
      await work()
      return rings > before
    }
    expect(await ringsDuring(() => chats.create(ada, testChat()))).toBe(true)
    expect(await ringsDuring(() => chats.rename(adasChat, { title: 'New', at: at(1) }))).toBe(true)
    expect(await ringsDuring(() => chats.pin(adasChat, at(1)))).toBe(true)
    const run = testRun('run')
    expect(await ringsDuring(() => runs.claim(run, startOf(run)))).toBe(true)
    expect(await ringsDuring(() => runs.end(run, endOf(run, [], { seq: 0 })))).toBe(true)
    expect(await ringsDuring(() => chats.remove(adasChat, at(2)))).toBe(true)
  })
})
