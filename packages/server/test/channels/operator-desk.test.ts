import type { AgentEvent } from '@throughline/agents/agent-event'
import { inFrame } from '@throughline/agents/run/agent-frame'
import { testFrame } from '@throughline/testing/agent/test-frame'
import { isPending, settle } from '@throughline/testing/faults/held-writes'
import { expect, test } from 'vitest'
import { OperatorDesk } from '../../src/channels/operator-desk.ts'

/** The person's answer of this id, as a run asks for it. */
function answering(desk: OperatorDesk, answerId: string) {
  const stop = new AbortController()
  const frame = testFrame({ agent: desk.agent, messageId: answerId, signal: stop.signal })
  const run = inFrame(frame, () => desk.agent.run({ messages: [], signal: stop.signal }))
  const events = run[Symbol.asyncIterator]()
  return { stop, events }
}

async function readAll(events: AsyncIterator<AgentEvent>): Promise<readonly AgentEvent[]> {
  const read: AgentEvent[] = []
  for (let next = await events.next(); next.done !== true; next = await events.next()) read.push(next.value)
  return read
}

test('an answer waits for the person, and says what they say', async () => {
  const desk = new OperatorDesk()
  const all = readAll(answering(desk, 'answer').events)
  expect(await isPending(all)).toBe(true)
  const reply = desk.reply('answer', 'Hello, this is Ann.')
  expect(await all).toEqual([
    { type: 'text-delta', text: 'Hello, this is Ann.' },
    { type: 'finish', finishReason: 'stop' },
  ])
  expect(await reply?.said).toBe(true)
  expect(desk.size).toBe(0)
})

test('a person can be faster than the run', async () => {
  const desk = new OperatorDesk()
  const reply = desk.reply('answer', 'Hello.')
  expect(await readAll(answering(desk, 'answer').events)).toHaveLength(2)
  expect(await reply?.said).toBe(true)
  expect(desk.size).toBe(0)
})

test('an answer is given once: the second is told so, before and after it is said', async () => {
  const desk = new OperatorDesk()
  const { events } = answering(desk, 'answer')
  desk.reply('answer', 'First.')
  expect(desk.reply('answer', 'Second.')).toBeUndefined()
  expect(await events.next()).toMatchObject({ value: { text: 'First.' } })
  expect(desk.reply('answer', 'Third.')).toBeUndefined()
})

test('what is written for one answer is said in no other', async () => {
  const desk = new OperatorDesk()
  const other = readAll(answering(desk, 'other').events)
  desk.reply('answer', 'Hello.')
  expect(await isPending(other)).toBe(true)
})

test('an answer that is stopped leaves nothing behind, and whoever speaks too late is told', async () => {
  const desk = new OperatorDesk()
  const { stop, events } = answering(desk, 'answer')
  const all = readAll(events)
  await settle()
  expect(desk.size).toBe(1)
  stop.abort()
  expect(await all).toEqual([])
  expect(desk.size).toBe(0)
})

test('what was written and never heard, because the run was left before, is not said', async () => {
  const desk = new OperatorDesk()
  const { events } = answering(desk, 'answer')
  const reply = desk.reply('answer', 'Hello.')
  await events.next()
  // Whoever leaves here has not written it down.
  await events.return?.()
  expect(await reply?.said).toBe(false)
  expect(desk.size).toBe(0)
})

test('what was written for an answer that never begins can be taken back', () => {
  const desk = new OperatorDesk()
  desk.reply('answer', 'Hello.')?.takeBack()
  expect(desk.size).toBe(0)
})

test('to take back what is waited for already takes nothing from anybody else', async () => {
  const desk = new OperatorDesk()
  const first = desk.reply('answer', 'First.')
  first?.takeBack()
  const second = desk.reply('answer', 'Second.')
  first?.takeBack()
  expect(await readAll(answering(desk, 'answer').events)).toMatchObject([{ text: 'Second.' }, {}])
  expect(await second?.said).toBe(true)
})
