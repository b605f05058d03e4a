import type { AgentEvent } from '@throughline/agents'
import { inFrame } from '@throughline/agents/testing'
import type { Store } from '@throughline/store/testing'
import { testRunScope } from '@throughline/testing/agent/run-scope'
import { testFrame } from '@throughline/testing/agent/test-frame'
import { withoutBells } from '@throughline/testing/server/start-nodes'
import { adasChat, at, testChat } from '@throughline/testing/store/store-rows'
import { temporaryStore } from '@throughline/testing/store/temporary-store'
import { promiseState, unsettled } from '@throughline/testing/waits/promise-state'
import { expect, test } from 'vitest'
import { OperatorDesk } from '../../src/channels/operator-desk.ts'

const hello = [
  { type: 'text-delta', text: 'Hello, this is Ann.' },
  { type: 'finish', finishReason: 'stop' },
]

test('an answer waits for the person, and says what they say', async () => {
  await using fixture = await startDesk()
  const all = readAll(fixture.answering('answer').events)
  expect(await promiseState(all)).toEqual(unsettled)
  await fixture.reply('answer', 'Hello, this is Ann.')
  expect(await all).toEqual(hello)
  expect(await fixture.found('answer')).toMatchObject({ isSaid: true })
})

test('a person can be faster than the run', async () => {
  await using fixture = await startDesk()
  await fixture.reply('answer', 'Hello, this is Ann.')
  expect(await readAll(fixture.answering('answer').events)).toEqual(hello)
})

test('what the person says is heard although the ring was lost', async () => {
  await using fixture = await startDesk(withoutBells)
  const all = readAll(fixture.answering('answer').events)
  await fixture.reply('answer', 'Hello, this is Ann.')
  expect(await all).toEqual(hello)
})

test('an answer is given once: the second is told so, before and after it is said', async () => {
  await using fixture = await startDesk()
  const { events } = fixture.answering('answer')
  expect(await fixture.reply('answer', 'First.')).toBe(true)
  expect(await fixture.reply('answer', 'Second.')).toBe(false)
  expect(await events.next()).toMatchObject({ value: { text: 'First.' } })
  expect(await fixture.reply('answer', 'Third.')).toBe(false)
})

test('what is written for one answer is said in no other', async () => {
  await using fixture = await startDesk()
  const other = fixture.answering('other')
  const all = readAll(other.events)
  await fixture.reply('answer', 'Hello.')
  expect(await promiseState(all)).toEqual(unsettled)
  other.stop.abort()
  expect(await all).toEqual([])
})

test('what was written and never heard, because the run was left before, is not said', async () => {
  await using fixture = await startDesk()
  const { events } = fixture.answering('answer')
  await fixture.reply('answer', 'Hello.')
  await events.next()
  // Whoever leaves here has not written it down.
  await events.return?.()
  expect(await fixture.found('answer')).toMatchObject({ isSaid: false })
})

test('what was removed before the run took it is not said', async () => {
  await using fixture = await startDesk(store => ({
    ...store,
    operatorReplies: {
      ...store.operatorReplies,
      async take(chat, answerId) {
        await store.operatorReplies.remove(chat, answerId)
        return store.operatorReplies.take(chat, answerId)
      },
    },
  }))
  const { events, stop } = fixture.answering('answer')
  const all = readAll(events)
  await fixture.reply('answer', 'Hello.')
  await expect.poll(async () => (await fixture.found('answer')) === undefined).toBeTruthy()
  expect(await promiseState(all)).toEqual(unsettled)
  stop.abort()
  expect(await all).toEqual([])
})

test('what was said is not said again when the answer is taken up once more', async () => {
  await using fixture = await startDesk()
  await fixture.reply('answer', 'Hello, this is Ann.')
  await readAll(fixture.answering('answer').events)
  expect(await readAll(fixture.answering('answer').events)).toEqual([hello[1]])
})

/** A desk in a store that has Ada's chat. */
async function startDesk(wrap = (store: Store) => store) {
  const fixture = await temporaryStore()
  const store = wrap(fixture.store)
  await store.chats.create(adasChat.ownerId, testChat())
  const desk = new OperatorDesk(store)
  return {
    /** The person's answer of this id, as a run asks for it. */
    answering(answerId: string) {
      const stop = new AbortController()
      const { signal } = stop
      const run = { ...testRunScope(), ...adasChat }
      const frame = testFrame({ run, agent: desk.agent, messageId: answerId, signal })
      const answer = inFrame(frame, () => desk.agent.run({ messages: [], signal }))
      return { stop, events: answer[Symbol.asyncIterator]() }
    },
    async reply(answerId: string, text: string) {
      const isFirst = await store.operatorReplies.add(adasChat, { answerId, text, at: at(1) })
      store.signals.ring(adasChat)
      return isFirst
    },
    found: (answerId: string) => store.operatorReplies.find(adasChat, answerId),
    [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
  }
}

async function readAll(events: AsyncIterator<AgentEvent>): Promise<readonly AgentEvent[]> {
  const read: AgentEvent[] = []
  for (let next = await events.next(); next.done !== true; next = await events.next()) read.push(next.value)
  return read
}
