import { asking, calling, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { decide } from '@throughline/testing/http/approval-requests'
import { eventsIn, ofType, query, queryEvents } from '@throughline/testing/http/query-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { waitingCall } from '@throughline/testing/server/waiting-call'
import { expect, test } from 'vitest'

// Each call of a model is 10 tokens in, 4 of them cached, and 5 out.
const model = scriptedModel({
  master: [[saying('I ask. '), asking('lead')], [saying('Done.')]],
  lead: [[saying('I lead. '), calling('note', { text: 'x' }), asking('worker')], [saying('Led.')]],
})
const other = scriptedModel({ worker: [[calling('note', { text: 'y' })], [saying('Worked.')]] }, 'other')
const subAgents = [
  subAgent('lead', { tools: ['note'], allowedSubAgents: ['worker'] }),
  subAgent('worker', { tools: ['note'], model: other }),
]

test('what sub-agents do is told under their names, and what they say is left to their callers', async () => {
  await using server = await startDelegation({ model, subAgents })
  const events = await queryEvents(await query(server.url))
  expect(
    ofType(events, 'text_delta')
      .map(({ delta }) => delta)
      .join(''),
  ).toBe('I ask. \n\nDone.')
  expect(ofType(events, 'final')).toMatchObject([{ content: 'I ask. \n\nDone.' }])
  const calls = ofType(events, 'tool_call').map(({ tool, display_name }) => [tool, display_name])
  expect(calls.toSorted()).toEqual([
    ['note', 'The lead: note'],
    ['note', 'The worker: note'],
    ['subAgent', 'Sub-agent'],
    ['subAgent', 'The lead: Sub-agent'],
  ])
  const ids = ofType(events, 'tool_call').map(event => event.tool_call_id)
  expect(new Set(ids).size).toBe(4)
  const results = ofType(events, 'tool_result')
  expect(results.map(event => event.tool_call_id).toSorted()).toEqual(ids.toSorted())
  expect(results.at(-1)).toMatchObject({ tool: 'subAgent', tool_call_id: 'ask-lead', is_error: false })
  expect(JSON.parse(results.at(-1)?.result ?? '')).toMatchObject({ ok: true, summary: 'Led.' })
})

test('the steps of all agents are numbered together, and each that begins ends', async () => {
  await using server = await startDelegation({ model, subAgents })
  const events = await queryEvents(await query(server.url, { path: 'query-stream' }))
  const started = ofType(events, 'step_start')
  expect(started.map(event => event.step_number)).toEqual([1, 2, 3, 4])
  const ids = started.map(event => event.step_id)
  expect(new Set(ids).size).toBe(4)
  const completed = ofType(events, 'step_complete')
  expect(completed.map(event => event.step_id).toSorted()).toEqual(ids.toSorted())
  expect(completed.every(event => event.status === 'completed')).toBe(true)
})

const price = { input: 1_000_000, output: 2_000_000, cachedInput: 0 }

test.each([
  ['no price', {}, [0, 0], 0, false],
  ['one price', { 'test:scripted': price }, [4 * 16, 0], 4 * 16, false],
  ['every price', { 'test:scripted': price, 'test:other': price }, [4 * 16, 2 * 16], 6 * 16, true],
])(
  'with %s known the usage is that of all agents, by model, its parts add up, and it says whether the whole cost is known',
  async (_, prices, costs, total, isKnown) => {
    await using server = await startDelegation({ model, subAgents, prices })
    const [event] = ofType(await queryEvents(await query(server.url)), 'usage')
    expect(event?.usage.by_model).toMatchObject({
      'test:scripted': { model: 'test:scripted', invocations: 4, total_tokens: 60 },
      'test:other': { model: 'test:other', invocations: 2, total_tokens: 30 },
    })
    const models = Object.values(event?.usage.by_model ?? {})
    const sum = (field: 'prompt_tokens' | 'completion_tokens' | 'total_tokens') =>
      models.reduce((total, each) => total + each[field], 0)
    expect(event?.usage).toMatchObject({
      total_prompt_tokens: sum('prompt_tokens'),
      total_completion_tokens: sum('completion_tokens'),
      total_tokens: sum('total_tokens'),
    })
    const { 'test:scripted': scripted, 'test:other': other } = event?.usage.by_model ?? {}
    expect([scripted?.cost, other?.cost]).toEqual(costs)
    expect(event?.usage).toMatchObject({ total_cost: total, cost_known: isKnown })
    expect([scripted?.cost_known, other?.cost_known]).toEqual([scripted?.cost !== 0, other?.cost !== 0])
  },
)

test('a call that nobody allowed is an error that says why', async () => {
  await using fixture = await waitingCall()
  const sameQuestion = { session_id: 'chat', message_id: 'question' }
  await using stream = new SseBytes(await query(fixture.url, { fields: sameQuestion }))
  await stream.until('"type":"step_start"')
  await decide(fixture.url, fixture.approvalId, { approved: false, reason: 'Too risky' })
  const events = eventsIn((await stream.rest()).toString())
  expect(ofType(events, 'tool_result')).toMatchObject([{ is_error: true, result: 'Not allowed: Too risky' }])
  expect(ofType(events, 'step_complete')).toMatchObject([{ status: 'error' }])
  expect(ofType(events, 'final')).toMatchObject([{ content: 'Done.' }])
})
