import {
  ada,
  adasChat,
  answer,
  at,
  bob,
  bobsChat,
  endOf,
  startOf,
  testChat,
  testRun,
  userMessage,
} from '@throughline/testing/store/store-rows'
import { temporaryStores } from '@throughline/testing/store/temporary-store'
import { describe, expect, test } from 'vitest'
import type { Store } from '../src/open/open-store.ts'

// Both owners use the same ids throughout: what tells their rows apart is the owner alone.
const run = testRun('run')
const runOfBob = testRun('run', { ownerId: bob, minute: 5 })

/** Ada's chat with an ended run and one that goes on. */
async function fill({ runs }: Store): Promise<void> {
  const first = testRun('first', { userMessageId: 'first-question' })
  await runs.claim(first, startOf(first))
  await runs.end(
    first,
    endOf(first, [userMessage('first-question'), answer('first-answer', 'Yes.', 'No.')], { seq: 1 }),
  )
  await runs.claim(run, startOf(run))
}

async function everythingOfAda({ chats, messages, runs }: Store): Promise<unknown> {
  return {
    chats: await chats.list(ada, { limit: 10 }),
    saved: await messages.load(adasChat),
    active: await runs.active(adasChat),
    runs: [await runs.get(ada, testRun('first').id), await runs.get(ada, run.id)],
  }
}

describe.each(temporaryStores)('on $name', ({ temporaryStore }) => {
  test('bob sees nothing of ada’s chat under its own ids', async () => {
    await using context = await temporaryStore()
    const { store } = context
    await fill(store)
    const { chats, messages, runs } = store
    expect(await chats.list(bob, { limit: 10 })).toEqual([])
    expect(await chats.get(bobsChat)).toBeUndefined()
    expect(await messages.load(bobsChat)).toBeUndefined()
    expect(await messages.find(bobsChat, run.userMessageId)).toBeUndefined()
    expect(await messages.outline(bobsChat)).toEqual([])
    expect(await runs.active(bobsChat)).toBeUndefined()
    expect(await runs.get(bob, run.id)).toBeUndefined()
    expect(await runs.ofUserMessage(bobsChat, run.userMessageId)).toBeUndefined()
    expect(await runs.ofAnswer(bobsChat, run.answerId)).toBeUndefined()
  })

  test('bob cannot rename, remove, save in or end what is ada’s', async () => {
    await using context = await temporaryStore()
    const { store } = context
    await fill(store)
    const { chats, runs } = store
    const before = await everythingOfAda(store)
    expect(await chats.rename(bobsChat, { title: 'Bob’s now', at: at(9) })).toBe(false)
    expect(await chats.remove(bobsChat, at(0))).toBe(false)
    const message = { message: answer('run-answer', 'Forged'), runId: run.id, seq: 9 }
    await expect(runs.save(runOfBob, message)).rejects.toMatchObject({ code: 'no-effect' })
    expect(await runs.end(runOfBob, endOf(runOfBob, [message.message], { seq: 9 }))).toBe(false)
    const another = { ...runOfBob, kind: 'another-answer' as const }
    expect(await runs.claim(another, { ...startOf(another), userMessage: undefined })).toBe(false)
    expect(await everythingOfAda(store)).toEqual(before)
  })

  test('bob’s chat, run and messages of the same ids live beside ada’s', async () => {
    await using context = await temporaryStore()
    const { store } = context
    await fill(store)
    const { chats, messages, runs } = store
    const before = await everythingOfAda(store)
    expect(await chats.create(bob, testChat({ title: 'Bob’s' }))).toEqual(testChat({ title: 'Bob’s' }))
    // Fewer parts than ada's message of this id has, and a later time than her chat's.
    expect(await runs.claim(runOfBob, startOf(runOfBob, { text: 'Bob asks' }))).toBe(true)
    expect(await everythingOfAda(store)).toEqual(before)
    const question = userMessage('question', 'Bob asks')
    expect(await messages.find(bobsChat, run.userMessageId)).toEqual(question)
    await runs.save(runOfBob, { message: answer('first-answer', 'Bob’s sub'), runId: run.id, seq: 2 })
    expect(
      await runs.end(runOfBob, endOf(runOfBob, [question, answer('run-answer', 'No.')], { seq: 1 })),
    ).toBe(true)
    expect(await everythingOfAda(store)).toEqual(before)
    expect((await runs.unfinished()).map(({ ownerId }) => ownerId)).toEqual([ada])
    expect(await chats.remove(bobsChat, at(0))).toBe(true)
    expect(await everythingOfAda(store)).toEqual(before)
  })

  test('recovery gets the unfinished runs of every owner', async () => {
    await using context = await temporaryStore()
    const { runs } = context.store
    await runs.claim(run, startOf(run))
    await runs.claim(runOfBob, startOf(runOfBob))
    const unfinished = await runs.unfinished()
    expect(unfinished).toHaveLength(2)
    expect(unfinished).toEqual(expect.arrayContaining([run, runOfBob]))
  })
})
