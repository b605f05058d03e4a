import { isRecord } from '@throughline/protocol/chunk'
import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/scripted-agent'
import { startTestServer } from '@throughline/testing/test-server'
import { describe, expect, test } from 'vitest'
import { createSession } from '../src/create-session.ts'
import { queryAgent } from '../src/query-agent.ts'
import { QueryStore } from '../src/query-store.ts'
import { recordingCallbacks } from './scripted-queries.ts'
import { turnUntil } from './turn-until.ts'

const whole = 'Let me look. \n\nThe sky is clear.'

describe.each(['delta', 'step'] as const)('with the real server, level %s', level => {
  test('a query tells what the agent does, in order, and resolves to all it said', async () => {
    await using server = await startTestServer()
    const { calls, callbacks } = recordingCallbacks()
    const text = await queryAgent('How is the weather?', null, callbacks, { url: server.url, level })

    expect(text).toBe(whole)
    const textName = level === 'delta' ? 'onTextDelta' : 'onText'
    const names = calls.map(([name]) => name).filter(name => !String(name).startsWith('onStep'))
    expect(names.filter((name, index) => name !== names[index - 1])).toEqual([
      textName,
      'onToolCall',
      'onToolResult',
      textName,
      'onFinal',
      'onUsage',
    ])
    expect(stepsIn(calls, 'onStepStart').length).toBeGreaterThan(0)
    expect(stepsIn(calls, 'onStepComplete')).toEqual(stepsIn(calls, 'onStepStart'))
    if (level === 'delta') expect(calls.findLast(([name]) => name === 'onTextDelta')?.[2]).toBe(whole)
    expect(calls.find(([name]) => name === 'onToolCall')?.[1]).toMatchObject({
      tool: 'weather',
      args: { city: 'Lisbon' },
      tool_call_id: 'call-1',
    })
  })
})

test('queries in one session are one conversation, and without one each is its own', async () => {
  const agent = scriptedAgent('assistant', ({ messages }) => [say(`Message ${messages.length}.`), finish])
  await using server = await startTestServer({ agents: [agent] })
  const { url } = server
  const sessionId = await createSession({ url })
  const answers: string[] = []
  for (const session of [sessionId, sessionId, null, null])
    answers.push(await queryAgent('Hi', session, {}, { url }))
  expect(answers).toEqual(['Message 1.', 'Message 3.', 'Message 1.', 'Message 1.'])
})

test('an agent that fails is an error event, and what it said is the answer', async () => {
  const agent = scriptedAgent('assistant', async function* () {
    yield say('Well, ')
    throw new Error('no')
  })
  await using server = await startTestServer({ agents: [agent] })
  const { calls, callbacks } = recordingCallbacks()
  expect(await queryAgent('Hi', null, callbacks, { url: server.url })).toBe('Well, ')
  expect(calls.some(([name]) => name === 'onError')).toBe(true)
  expect(calls.some(([name]) => name === 'onFinal')).toBe(false)
})

test('what the server refuses is thrown in its own words', async () => {
  await using server = await startTestServer()
  await expect(queryAgent(' ', null, {}, { url: server.url })).rejects.toMatchObject({
    name: 'ChatError',
    status: 400,
    code: 'empty-message',
  })
})

test('a new query in the same session takes the place of the old one, which nobody listens to any more', async () => {
  let runs = 0
  const { agent: held } = heldAgent('assistant', { before: [say('Well, ')] })
  const agent = scriptedAgent('assistant', request => {
    runs += 1
    return runs === 1 ? held.run(request) : [say('Yes.'), finish]
  })
  await using server = await startTestServer({ agents: [agent] })
  const store = new QueryStore({ url: server.url, onFrame: callback => void setImmediate(callback) })
  void store.query('First')
  await turnUntil(() => store.getSnapshot().response === 'Well, ')
  await store.query('Second', store.getSnapshot().sessionId)
  expect(store.getSnapshot()).toMatchObject({ response: 'Yes.', isStreaming: false, error: undefined })
})

function stepsIn(calls: readonly (readonly unknown[])[], callback: string): readonly unknown[] {
  return calls.flatMap(([name, event]) => (name === callback && isRecord(event) ? [event['step_id']] : []))
}
