import { isRecord, textOf } from '@throughline/protocol'
import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { loadAnswer } from '@throughline/testing/http/chat-requests'
import { startTestServer } from '@throughline/testing/server/test-server'
import { waitLimitMs } from '@throughline/testing/waits/wait-limit'
import { describe, expect, test, vi } from 'vitest'
import { queryAgent } from '../../src/events/query-agent.ts'
import { QueryStore } from '../../src/events/query-store.ts'
import { createSession, stopSession } from '../../src/events/session-requests.ts'
import { heldLine } from '../chat/held-line.ts'
import { turnUntil } from '../turn-until.ts'
import { recordingCallbacks, scriptedFetch } from './scripted-queries.ts'

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

describe('a stop', () => {
  test('ends the run, and the answer says that it was stopped', async () => {
    const { agent } = heldAgent('assistant', { before: [say('Well, ')] })
    await using server = await startTestServer({ agents: [agent] })
    const store = openStore(server.url)
    const asked = store.query('Hi')
    await turnUntil(() => store.getSnapshot().response === 'Well, ')
    await store.stop()
    await asked
    expect(await statusOf(server.url, store.getSnapshot().sessionId)).toBe('stopped')
    expect(store.getSnapshot()).toMatchObject({
      response: 'Well, ',
      isStreaming: false,
      cutShort: 'stopped',
      error: undefined,
    })
  })

  test('before the server answers waits for the run that it is to end', async () => {
    const { agent } = heldAgent('assistant', { before: [say('Well, ')] })
    await using server = await startTestServer({ agents: [agent] })
    const store = openStore(server.url)
    const asked = store.query('Hi')
    await store.stop()
    await asked
    expect(await statusOf(server.url, store.getSnapshot().sessionId)).toBe('stopped')
    expect(store.getSnapshot().cutShort).toBe('stopped')
  })

  test('of nothing asks nobody, and one of a query that fails before it begins ends with it', async () => {
    const { fetch, requests } = scriptedFetch([Response.json({ code: 'no', detail: 'No.' }, { status: 403 })])
    const store = openStore('', fetch)
    await store.stop()
    expect(requests).toEqual([])
    const asked = store.query('Hi')
    await store.stop()
    await asked
    expect(requests).toHaveLength(1)
    expect(store.getSnapshot().error).toMatchObject({ code: 'no' })
  })

  test('that does not get through is an error, and the answer goes on', async () => {
    const line = heldLine({ 'x-session-id': 'session-1' })
    const store = openStore('', async (input, init) =>
      String(input).endsWith('/stop') ? new Response('', { status: 404 }) : line.fetch(input, init),
    )
    const asked = store.query('Hi')
    await line.write('data: {"type":"text_delta","delta":"Well, "}\n\n')
    await store.stop()
    await turnUntil(() => store.getSnapshot().error !== undefined)
    expect(store.getSnapshot()).toMatchObject({ isStreaming: true, error: { status: 404 } })
    await line.write('data: {"type":"final","content":"Well, yes."}\n\n: done\n\n')
    await asked
    expect(store.getSnapshot()).toMatchObject({ response: 'Well, yes.', isStreaming: false })
  })

  test('gets through also when the page is left right after it', async () => {
    const { agent } = heldAgent('assistant', { before: [say('Well, ')] })
    await using server = await startTestServer({ agents: [agent] })
    const store = openStore(server.url)
    void store.query('Hi', 'trip')
    await turnUntil(() => store.getSnapshot().response === 'Well, ')
    const stopped = store.stop()
    store.abort()
    await stopped
    expect(await statusOf(server.url, 'trip')).toBe('stopped')
    expect(store.getSnapshot()).toMatchObject({ cutShort: undefined, error: undefined })
  })

  test('does not hit the query that is asked after it', async () => {
    const { agent, letGo } = heldAgent('assistant', { before: [say('Well, ')], after: [say('yes.')] })
    await using server = await startTestServer({ agents: [agent] })
    const store = openStore(server.url)
    void store.query('First', 'trip')
    await turnUntil(() => store.getSnapshot().response === 'Well, ')
    const asked = [store.stop(), store.query('Second', 'trip')]
    letGo()
    await Promise.all(asked)
    expect(store.getSnapshot()).toMatchObject({ response: 'Well, yes.', cutShort: undefined })
  })

  test('can be asked for without a page', async () => {
    const { agent } = heldAgent('assistant', { before: [say('Well, ')] })
    await using server = await startTestServer({ agents: [agent] })
    const { url } = server
    const { calls, callbacks } = recordingCallbacks()
    const onTextDelta = () => void stopSession('trip', { url })
    expect(await queryAgent('Hi', 'trip', { ...callbacks, onTextDelta }, { url })).toBe('Well, ')
    expect(await statusOf(url, 'trip')).toBe('stopped')
    expect(calls[0]).toMatchObject(['onFinal', { status: 'stopped' }])
  })
})

test('an abort only leaves: the run goes on to its end', async () => {
  const { agent, letGo } = heldAgent('assistant', { before: [say('Well, ')], after: [say('yes.')] })
  await using server = await startTestServer({ agents: [agent] })
  const store = openStore(server.url)
  void store.query('Hi', 'trip')
  await turnUntil(() => store.getSnapshot().response === 'Well, ')
  store.abort()
  letGo()
  const { url } = server
  await vi.waitFor(async () => expect(textOf(await loadAnswer(url, 'trip'))).toBe('Well, yes.'), {
    timeout: waitLimitMs(),
  })
  expect(store.getSnapshot()).toMatchObject({ response: 'Well, ', isStreaming: false, cutShort: undefined })
})

/** Returns the status of a session's answer on the server. */
async function statusOf(url: string, sessionId: string | undefined): Promise<string | undefined> {
  return (await loadAnswer(url, sessionId)).metadata?.status
}

function openStore(url: string, fetch?: typeof globalThis.fetch): QueryStore {
  return new QueryStore({ url, fetch, onFrame: callback => void setImmediate(callback) })
}

function stepsIn(calls: readonly (readonly unknown[])[], callback: string): readonly unknown[] {
  return calls.flatMap(([name, event]) => (name === callback && isRecord(event) ? [event['step_id']] : []))
}
