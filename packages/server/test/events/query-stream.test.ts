import { isRecord, textOf } from '@throughline/protocol'
import { finish, heldAgent, say, scriptedAgent, weatherCall } from '@throughline/testing/agent/scripted-agent'
import { loadAnswer, loadChat, problemOf, sendJson } from '@throughline/testing/http/chat-requests'
import { ofType, query, queryEvents, timeless } from '@throughline/testing/http/query-requests'
import { entryWith, readLog } from '@throughline/testing/http/read-log'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { startTestServer } from '@throughline/testing/server/test-server'
import { jsonSchema, parseJsonEventStream } from 'ai'
import { describe, expect, test } from 'vitest'

const session = { session_id: 'trip' }
// A clock that stands still, so that every step takes no time.
const now = () => new Date('2026-01-02T03:04:05.678Z')

// The id of a step begins with the answer's, which is another one each time.
const stepId = (number: number) => expect.stringMatching(new RegExp(`^msg_\\w+_step_${number}$`))

const toolEvents = [
  {
    type: 'tool_call',
    tool: 'weather',
    args: { city: 'Lisbon' },
    tool_call_id: 'call-1',
    display_name: '',
  },
  { type: 'step_start', step_id: stepId(1), title: 'weather', step_number: 1 },
  {
    type: 'tool_result',
    tool: 'weather',
    result: '{"sky":"clear","degrees":21}',
    tool_call_id: 'call-1',
    is_error: false,
    screenshot_base64: null,
  },
  { type: 'step_complete', step_id: stepId(1), status: 'completed', duration_ms: 0 },
]
const used = { prompt_tokens: 30, completion_tokens: 12, total_tokens: 42, cost: 0, cost_known: false }
const endEvents = [
  { type: 'final', content: 'Let me look. \n\nThe sky is clear.' },
  {
    type: 'usage',
    session_id: 'trip',
    usage: {
      total_tokens: 42,
      total_prompt_tokens: 30,
      total_completion_tokens: 12,
      total_cost: 0,
      cost_known: false,
      by_model: { unknown: { model: 'unknown', ...used, invocations: 2 } },
    },
  },
]

test('the id of a step is given once in a session, and stays when the answer is asked for again', async () => {
  await using server = await startTestServer()
  const stepsOf = async (message_id: string) =>
    ofType(
      await queryEvents(await query(server.url, { fields: { ...session, message_id } })),
      'step_start',
    ).map(({ step_id }) => step_id)
  const [first, second] = [await stepsOf('m1'), await stepsOf('m2')]
  expect(new Set([...first, ...second]).size).toBe(2)
  expect(await stepsOf('m1')).toEqual(first)
})

describe('an answer of text, tool and text', () => {
  test('is told token by token', async () => {
    await using server = await startTestServer({ now })
    const response = await query(server.url, { fields: session })
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(timeless(await queryEvents(response))).toEqual([
      { type: 'text_delta', delta: 'Let me look. ' },
      ...toolEvents,
      { type: 'text_delta', delta: '\n\n' },
      { type: 'text_delta', delta: 'The sky is clear.' },
      ...endEvents,
    ])
  })

  test('is told part by part', async () => {
    await using server = await startTestServer({ now })
    const response = await query(server.url, { path: 'query-stream', fields: session })
    expect(timeless(await queryEvents(response))).toEqual([
      { type: 'text', content: 'Let me look. ' },
      ...toolEvents,
      { type: 'text', content: 'The sky is clear.' },
      ...endEvents,
    ])
  })

  test('is told in one piece', async () => {
    await using server = await startTestServer()
    const response = await query(server.url, { path: 'query', fields: session })
    const [user, answer] = (await loadChat(server.url, 'trip')).messages
    expect(await response.json()).toEqual({
      session_id: 'trip',
      message_id: user?.id,
      answer_id: answer?.id,
      status: 'finished',
      content: 'Let me look. \n\nThe sky is clear.',
      usage: endEvents[1]?.usage,
    })
  })

  test('has the times at which the log was written', async () => {
    await using server = await startTestServer()
    const events = await queryEvents(await query(server.url, { fields: session }))
    const entries = await readLog(server.url, 'trip')
    const written = (type: Parameters<typeof entryWith>[1]) =>
      new Date(entryWith(entries, type).at).toISOString()
    expect(ofType(events, 'text_delta')[0]?.timestamp).toBe(written('text-delta'))
    expect(ofType(events, 'tool_call')[0]?.timestamp).toBe(written('tool-input-available'))
    expect(ofType(events, 'tool_result')[0]?.timestamp).toBe(written('tool-output-available'))
    expect(ofType(events, 'final')[0]?.timestamp).toBe(written('finish'))
  })

  test('is what any parser of server-sent events reads', async () => {
    await using server = await startTestServer({ now })
    const { body } = await query(server.url, { fields: session })
    if (body === null) throw new TypeError('The answer has no body.')
    const parsed = parseJsonEventStream({ stream: body, schema: jsonSchema<{ type: string }>({}) })
    const types = (await Array.fromAsync(parsed)).map(each => (each.success ? each.value.type : each.error))
    expect(types).toEqual([
      'text_delta',
      ...toolEvents.map(({ type }) => type),
      'text_delta',
      'text_delta',
      'final',
      'usage',
    ])
  })
})

test('reasoning is no part of the text', async () => {
  const agent = scriptedAgent('assistant', [
    { type: 'reasoning-delta', text: 'Hm, hm.' },
    say('One.'),
    { type: 'reasoning-delta', text: 'Hm.' },
    say('Two.'),
    finish,
  ])
  await using server = await startTestServer({ agents: [agent] })
  const events = await queryEvents(await query(server.url))
  expect(timeless(events).slice(0, -1)).toEqual([
    { type: 'text_delta', delta: 'One.' },
    { type: 'text_delta', delta: '\n\n' },
    { type: 'text_delta', delta: 'Two.' },
    { type: 'final', content: 'One.\n\nTwo.' },
  ])
})

test('tools that work at the same time are told of in the order in which things happen', async () => {
  const agent = scriptedAgent('assistant', [
    { type: 'tool-call', ...weatherCall('one'), title: 'Look outside' },
    { type: 'tool-call', ...weatherCall('two') },
    { type: 'tool-progress', ...weatherCall('one'), output: 'half' },
    { type: 'tool-result', ...weatherCall('two'), output: 'clear' },
    { type: 'tool-error', ...weatherCall('one'), errorText: 'It is dark.' },
    say('Clear.'),
    finish,
  ])
  await using server = await startTestServer({ agents: [agent] })
  const events = await queryEvents(await query(server.url))
  expect(events.slice(0, -3)).toMatchObject([
    { type: 'tool_call', tool_call_id: 'one', display_name: 'Look outside' },
    { type: 'step_start', step_id: stepId(1), title: 'Look outside' },
    { type: 'tool_call', tool_call_id: 'two', display_name: '' },
    { type: 'step_start', step_id: stepId(2), title: 'weather' },
    { type: 'tool_result', tool_call_id: 'two', result: 'clear', is_error: false },
    { type: 'step_complete', step_id: stepId(2), status: 'completed' },
    { type: 'tool_result', tool_call_id: 'one', result: 'It is dark.', is_error: true },
    { type: 'step_complete', step_id: stepId(1), status: 'error' },
  ])
})

test('any language goes in and comes out', async () => {
  const agent = scriptedAgent('assistant', ({ messages }) => [
    say(`你问：${messages.map(textOf).join()} 🙂`),
    finish,
  ])
  await using server = await startTestServer({ agents: [agent] })
  const events = await queryEvents(await query(server.url, { fields: { message: '广州天气怎么样？' } }))
  expect(ofType(events, 'final')[0]?.content).toBe('你问：广州天气怎么样？ 🙂')
})

test('the agent that is named answers', async () => {
  const agents = ['one', 'two'].map(name => scriptedAgent(name, [say(`I am ${name}.`), finish]))
  await using server = await startTestServer({ agents })
  const asked = await queryEvents(await query(server.url, { fields: { agent: 'two' } }))
  expect(ofType(asked, 'final')[0]?.content).toBe('I am two.')
  const unnamed = await queryEvents(await query(server.url, { fields: { agent: null } }))
  expect(ofType(unnamed, 'final')[0]?.content).toBe('I am one.')
})

test('leaving stops nothing, whichever way one asked', async () => {
  for (const path of ['query-stream-delta', 'query-stream', 'query'] as const) {
    const { agent, letGo } = heldAgent('assistant', { before: [say('Wait')], after: [say(' for it')] })
    await using server = await startTestServer({ agents: [agent] })
    const leave = new AbortController()
    const asked = fetch(`${server.url}/agent/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ message: 'Go on.', ...session }),
      signal: leave.signal,
    })
    while ((await fetch(`${server.url}/api/chats/trip`)).status === 404);
    await using log = new SseBytes(await fetch(`${server.url}/api/chats/trip/log`))
    await log.until('Wait')
    leave.abort()
    await asked.then(response => response.text()).catch(() => undefined)
    letGo()
    await log.until('"type":"finish"')
    expect(textOf(await loadAnswer(server.url, 'trip'))).toBe('Wait for it')
  }
})

test('a stream that is idle has a heartbeat, which no client takes for an event', async () => {
  const { agent, letGo } = heldAgent('assistant', { before: [say('Wait')] })
  await using server = await startTestServer({ agents: [agent], heartbeatMs: 1 })
  await using stream = new SseBytes(await query(server.url))
  await stream.until(': heartbeat\n\n')
  letGo()
  expect((await stream.rest()).toString()).toMatch(/"type":"usage".*\}\n\n: done\n\n$/)
})

test('what was asked badly is refused with a problem, and makes no session', async () => {
  await using server = await startTestServer()
  const bodies: readonly (readonly [unknown, string])[] = [
    [{}, 'invalid-body'],
    [{ message: 1 }, 'invalid-body'],
    [{ message: ' \n' }, 'empty-message'],
    [{ message: 'x', session_id: 'a b' }, 'invalid-id'],
    [{ message: 'x', session_id: '' }, 'invalid-id'],
    [{ message: 'x', session_id: 7 }, 'invalid-body'],
    [{ message: 'x', message_id: '../x' }, 'invalid-id'],
    [{ message: 'x', agent: 'nobody' }, 'unknown-agent'],
    [[], 'invalid-body'],
  ]
  for (const path of ['query-stream-delta', 'query-stream', 'query']) {
    for (const [body, code] of bodies) {
      const problem = await problemOf(await sendJson(`${server.url}/agent/${path}`, body))
      expect(problem).toMatchObject({ status: 400, code })
    }
  }
  const listed: unknown = await (await fetch(`${server.url}/sessions`)).json()
  expect(isRecord(listed) && listed['sessions']).toEqual([])
})
