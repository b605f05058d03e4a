import {
  ada,
  answer,
  at,
  bob,
  endOf,
  startOf,
  testChat,
  testRun,
} from '@throughline/testing/store/store-rows'
import { temporaryStores } from '@throughline/testing/store/temporary-store'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../src/open/open-store.ts'

describe.each(temporaryStores)('on $name', ({ temporaryStore }) => {
  test('chats are found by any part of their titles and texts, in Chinese too, and newest first', async () => {
    await using context = await temporaryStore()
    const find = finderOf(context.store)
    await say(context.store, 'weather', { text: '今天北京天气怎么样？', reply: '北京今天晴，二十度。' })
    await say(context.store, 'lisbon', {
      text: 'How is Lisbon?',
      reply: 'Sunny, and "warm"\n– 20°C.',
      minute: 5,
    })
    await context.store.chats.create(ada, testChat({ id: 'titled', title: '北京 and Lisbon', minute: 9 }))
    expect(await find('北京')).toEqual(['titled', 'weather'])
    expect(await find('二十')).toEqual(['weather'])
    expect(await find('LISBON')).toEqual(['titled', 'lisbon'])
    expect(await find('"warm"\n–')).toEqual(['lisbon'])
    expect(await find('Porto')).toEqual([])
    const { chats, isComplete } = await context.store.chatList.search(ada, { text: 'sunny', limit: 10 })
    expect(chats).toMatchObject([{ id: 'lisbon', text: 'Sunny, and "warm"\n– 20°C.', activity: 'idle' }])
    expect(isComplete).toBe(true)
  })

  test('%, _ and \\ stand for themselves, and neither the names of JSON nor tools are found', async () => {
    await using context = await temporaryStore()
    const find = finderOf(context.store)
    await say(context.store, 'plain', { text: 'abc', reply: 'aXc 100 percent' })
    await say(context.store, 'signs', { text: 'a_c', reply: '100% C:\\temp' })
    expect(await find('a_c')).toEqual(['signs'])
    expect(await find('100%')).toEqual(['signs'])
    expect(await find('C:\\temp')).toEqual(['signs'])
    expect(await find('%')).toEqual(['signs'])
    for (const text of ['type', 'state', '{"', 'secretInput', "' or 1=1 --"])
      expect(await find(text)).toEqual([])
  })

  test('nobody finds what is in the chats of another owner, or in removed ones', async () => {
    await using context = await temporaryStore()
    await say(context.store, 'hers', { text: 'the harbour password', reply: 'Noted.' })
    expect((await context.store.chatList.search(bob, { text: 'harbour', limit: 10 })).chats).toEqual([])
    const { id } = testChat({ id: 'hers' })
    await context.store.chats.remove({ ownerId: ada, chatId: id }, at(9))
    expect(await finderOf(context.store)('harbour')).toEqual([])
  })

  test('a search ends at its limit, when its time is over, and when nobody waits for it', async () => {
    await using context = await temporaryStore()
    const { chatList } = context.store
    for (let number = 0; number < 25; number += 1)
      await say(context.store, `chat-${number}`, { text: 'Hello', reply: 'needle', minute: number })
    const search = async (options: { limit: number; maxMs?: number; signal?: AbortSignal }) => {
      const { chats, isComplete } = await chatList.search(ada, { text: 'needle', ...options })
      return [chats.length, isComplete]
    }
    expect(await search({ limit: 50 })).toEqual([25, true])
    expect(await search({ limit: 7 })).toEqual([7, false])
    expect(await search({ limit: 50, maxMs: -1 })).toEqual([0, false])
    expect(await search({ limit: 50, signal: AbortSignal.abort() })).toEqual([0, false])
  })
})

function finderOf({ chatList }: Store) {
  return async (text: string) => {
    const { chats } = await chatList.search(ada, { text, limit: 10 })
    return chats.map(({ id }) => id)
  }
}

/** Saves a chat with one message and one answer, whose tool got an input that nobody should find. */
async function say(
  { runs }: Store,
  chatId: string,
  { text, reply, minute = 0 }: { text: string; reply: string; minute?: number },
): Promise<void> {
  const run = testRun(`run-${chatId}`, { chatId, minute })
  await runs.claim(run, startOf(run, { text }))
  const said = answer(run.answerId, reply)
  const tool = {
    type: 'tool-look' as const,
    toolCallId: 'call',
    state: 'output-available' as const,
    input: { secretInput: true },
    output: 1,
  }
  const messages = [startOf(run, { text }).userMessage.message, { ...said, parts: [tool, ...said.parts] }]
  await runs.end(run, endOf(run, messages, { seq: 1, minute }))
}
