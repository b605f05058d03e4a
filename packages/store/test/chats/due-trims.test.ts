import { logName } from '@throughline/log'
import { isChatId } from '@throughline/protocol'
import { idOf } from '@throughline/testing/log/id-of'
import {
  ada,
  adasChat,
  answer,
  at,
  endOf,
  startOf,
  testChat,
  testRun,
  userMessage,
} from '@throughline/testing/store/store-rows'
import { temporaryStores } from '@throughline/testing/store/temporary-store'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../src/open/open-store.ts'
import type { Run } from '../../src/runs/runs.ts'

/** Claims run `number`, whose entries come after 10, 20, 30 and so on. */
async function claim(store: Store, number: number, chatId = 'chat'): Promise<Run> {
  const run = {
    ...testRun(`${chatId}-run-${number}`, {
      chatId,
      userMessageId: `${chatId}-question-${number}`,
      minute: number,
    }),
    afterSeq: 10 * (number - 1),
  }
  await store.log.open(logName(run))
  expect(await store.runs.claim(run, startOf(run))).toBe(true)
  return run
}

/** Saves run `number`, with ten entries. It ended in minute `number`. */
async function save(store: Store, number: number, chatId = 'chat'): Promise<void> {
  const run = await claim(store, number, chatId)
  const messages = [userMessage(run.userMessageId), answer(run.answerId, 'Yes.')]
  const end = endOf(run, messages, { seq: run.afterSeq + 1, minute: number })
  await store.runs.end(run, { ...end, seq: run.afterSeq + 10 })
}

const upTo = async (store: Store, rules: Parameters<Store['dueTrims']['find']>[0]) =>
  (await store.dueTrims.find(rules)).trims.map(trim => trim.upTo)

describe.each(temporaryStores)('on $name', ({ temporaryStore }) => {
  test('the entries of runs that ended long ago can be trimmed, and never those of younger ones', async () => {
    await using context = await temporaryStore()
    const { store } = context
    for (const number of [1, 2, 3]) await save(store, number)
    expect(await upTo(store, {})).toEqual([])
    expect(await upTo(store, { endedBefore: at(1) })).toEqual([])
    expect(await upTo(store, { endedBefore: at(2) })).toEqual([10])
    expect(await upTo(store, { endedBefore: at(3) })).toEqual([20])
    expect(await upTo(store, { endedBefore: at(9) })).toEqual([30])
  })

  test('a chat keeps its newest entries in whole runs, and its newest run in any case', async () => {
    await using context = await temporaryStore()
    const { store } = context
    for (const number of [1, 2, 3]) await save(store, number)
    expect(await upTo(store, { maxEntries: 30 })).toEqual([])
    expect(await upTo(store, { maxEntries: 29 })).toEqual([10])
    expect(await upTo(store, { maxEntries: 10 })).toEqual([20])
    expect(await upTo(store, { maxEntries: 1 })).toEqual([20])
  })

  test('the entries of a run that goes on are never named', async () => {
    await using context = await temporaryStore()
    const { store } = context
    await save(store, 1)
    await claim(store, 2)
    expect(await upTo(store, { endedBefore: at(99), maxEntries: 1 })).toEqual([10])
  })

  test('what a channel has not delivered is kept', async () => {
    await using context = await temporaryStore()
    const { store } = context
    await save(store, 1)
    await store.channelChats.tie(ada, testChat(), { channel: 'telegram', target: '7' })
    expect(await upTo(store, { endedBefore: at(9) })).toEqual([])
    const { epoch } = await store.log.open(logName(adasChat))
    await store.outbox.advance(adasChat, { epoch, seq: 7 })
    expect(await upTo(store, { endedBefore: at(9) })).toEqual([7])
  })

  test('all chats are looked at, page by page, and one that was trimmed is not named again', async () => {
    await using context = await temporaryStore()
    const { store } = context
    const ids = Array.from({ length: 60 }, (_, index) => `chat-${String(index).padStart(2, '0')}`)
    for (const id of ids) await save(store, 1, id)
    const first = await store.dueTrims.find({ endedBefore: at(9) })
    expect(first.trims.map(({ chatId }) => chatId)).toEqual(ids.slice(0, 50))
    const second = await store.dueTrims.find({ endedBefore: at(9) }, first.last)
    expect(second.trims.map(({ chatId }) => chatId)).toEqual(ids.slice(50))
    expect(second.last).toBeUndefined()
  })

  test('a chat that is being removed, and a log that was trimmed, are left alone', async () => {
    await using context = await temporaryStore()
    const { store } = context
    await save(store, 1)
    const removal = store.chats.remove(adasChat, at(2))
    expect(await upTo(store, { endedBefore: at(9) })).toEqual([])
    await removal
    await save(store, 1, 'other')
    const other = { ownerId: ada, chatId: idOf(isChatId, 'other') }
    await store.log.trim(logName(other), 0)
    expect(await upTo(store, { endedBefore: at(9) })).toEqual([10])
  })
})
