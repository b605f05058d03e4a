import { type AGUIEvent, type ContentPart, EventType } from '@ag-ui/core'
import { RunAgentInputSchema } from '@ag-ui/core/schemas'
import { EventEncoder } from '@ag-ui/encoder'
import { remoteAgent } from '@throughline/agents'
import { expect, test } from 'vitest'
import { answerAfter, answerOf, answerStoppedAfter, linesOf, startSseService } from './remote-service.ts'

const run = { threadId: 'thread', runId: 'run' }
const started: AGUIEvent = { type: EventType.RUN_STARTED, ...run }
const finished: AGUIEvent = { type: EventType.RUN_FINISHED, ...run }

function startAgUi(events: readonly AGUIEvent[], options?: { readonly isHeld: boolean }) {
  const encoder = new EventEncoder()
  return startSseService(
    events.map(event => encoder.encodeSSE({ ...event })),
    options,
  )
}

function agentAt({ url }: { readonly url: string }) {
  return remoteAgent({ name: 'support', displayName: 'Support', url, form: 'ag-ui' })
}

function text(messageId: string, ...deltas: readonly string[]): readonly AGUIEvent[] {
  return [
    { type: EventType.TEXT_MESSAGE_START, messageId, role: 'assistant' },
    ...deltas.map((delta): AGUIEvent => ({ type: EventType.TEXT_MESSAGE_CONTENT, messageId, delta })),
    { type: EventType.TEXT_MESSAGE_END, messageId },
  ]
}

function call(toolCallId: string, city: string): readonly AGUIEvent[] {
  return [
    { type: EventType.TOOL_CALL_START, toolCallId, toolCallName: 'weather' },
    { type: EventType.TOOL_CALL_ARGS, toolCallId, delta: '{"city":' },
    { type: EventType.TOOL_CALL_ARGS, toolCallId, delta: `"${city}"}` },
    { type: EventType.TOOL_CALL_END, toolCallId },
  ]
}

function result(toolCallId: string, content: string | ContentPart[]): AGUIEvent {
  return { type: EventType.TOOL_CALL_RESULT, messageId: `result-${toolCallId}`, toolCallId, content }
}

const textToolText = [
  started,
  ...text('m1', 'Let me ', 'look.'),
  ...call('c1', 'Lisbon'),
  result('c1', '{"sky":"clear"}'),
  ...text('m2', 'The sky is clear.'),
]
const textToolTextLines = [
  'Let me look.',
  'weather {"city":"Lisbon"} -> {"sky":"clear"}',
  'The sky is clear.',
]

test('text, a tool and text of an AG-UI service are shown in order, with their usage', async () => {
  const usage = [{ provider: 'maker', model: 'one', inputTokens: 7, outputTokens: 3, totalTokens: 10 }]
  await using service = await startAgUi([...textToolText, { ...finished, usage }])
  const answer = await answerOf(agentAt(service))
  expect(linesOf(answer)).toEqual(textToolTextLines)
  expect(answer.metadata).toMatchObject({
    status: 'finished',
    usage: { inputTokens: 7, outputTokens: 3, byModel: { 'maker:one': { totalTokens: 10 } } },
  })
  const [request] = service.requests
  expect(RunAgentInputSchema.parse(request?.body)).toMatchObject({
    threadId: expect.stringMatching(/^chat_/),
    messages: [{ id: 'question', role: 'user', content: 'How is the weather?' }],
  })
})

test('parallel tools of an AG-UI service get their own results, in any order', async () => {
  await using service = await startAgUi([
    started,
    ...call('c1', 'Lisbon'),
    ...call('c2', '北京'),
    result('c2', 'no JSON'),
    result('c1', [{ type: 'text', text: '21' }]),
    ...text('m1', 'Done.'),
    finished,
  ])
  expect(linesOf(await answerOf(agentAt(service)))).toEqual([
    'weather {"city":"Lisbon"} -> [{"type":"text","text":"21"}]',
    'weather {"city":"北京"} -> "no JSON"',
    'Done.',
  ])
})

test('the reasoning of an AG-UI service is shown, and its chunk events are read', async () => {
  await using service = await startAgUi([
    started,
    { type: EventType.REASONING_START, messageId: 'r' },
    { type: EventType.REASONING_MESSAGE_START, messageId: 'r', role: 'reasoning' },
    { type: EventType.REASONING_MESSAGE_CONTENT, messageId: 'r', delta: 'Hm.' },
    { type: EventType.REASONING_MESSAGE_END, messageId: 'r' },
    { type: EventType.REASONING_END, messageId: 'r' },
    { type: EventType.TOOL_CALL_CHUNK, toolCallId: 'c1', toolCallName: 'weather', delta: '{"city":' },
    { type: EventType.TOOL_CALL_CHUNK, delta: '"Lisbon"}' },
    result('c1', '21'),
    { type: EventType.TEXT_MESSAGE_CHUNK, messageId: 'm1', delta: 'It is ' },
    { type: EventType.TEXT_MESSAGE_CHUNK, delta: 'warm.' },
    finished,
  ])
  expect(linesOf(await answerOf(agentAt(service)))).toEqual([
    '(Hm.)',
    'weather {"city":"Lisbon"} -> 21',
    'It is warm.',
  ])
})

test('an error of an AG-UI service ends the answer as failed, and what was said is kept', async () => {
  await using service = await startAgUi([
    ...textToolText,
    { type: EventType.RUN_ERROR, message: 'Out of memory.' },
  ])
  const answer = await answerOf(agentAt(service))
  expect(linesOf(answer)).toEqual(textToolTextLines)
  expect(answer.metadata).toMatchObject({
    status: 'failed',
    statusText: 'The service of Support reported an error: Out of memory.',
  })
})

test('an AG-UI service that waits for a person ends the answer with words that say so', async () => {
  const outcome = { type: 'interrupt' as const, interrupts: [{ id: 'i1', reason: 'tool_call' }] }
  await using service = await startAgUi([started, ...call('c1', 'Lisbon'), { ...finished, outcome }])
  const { metadata } = await answerOf(agentAt(service))
  expect(metadata).toMatchObject({
    status: 'failed',
    statusText:
      'The service of Support waits for the decision of a person, which can only be given on its own page.',
  })
})

test('a stop aborts the request to an AG-UI service', async () => {
  await using service = await startAgUi(textToolText, { isHeld: true })
  const answer = await answerStoppedAfter(agentAt(service), 'The sky is clear.')
  await service.left
  expect(linesOf(answer)).toEqual(textToolTextLines)
  expect(answer.metadata).toMatchObject({ status: 'stopped' })
})

test('when an AG-UI service is killed in mid-answer, the answer ends named and nothing shown is lost', async () => {
  await using service = await startAgUi([...textToolText, ...call('c2', 'Oslo')], { isHeld: true })
  const answer = await answerAfter(agentAt(service), 'Oslo', () => service.kill())
  const statusText = 'The service of Support ended in mid-answer. What it said so far is kept; try again.'
  expect(linesOf(answer)).toEqual([
    ...textToolTextLines,
    `weather {"city":"Oslo"} -> Interrupted: ${statusText}`,
  ])
  expect(answer.metadata).toMatchObject({ status: 'failed', statusText })
})
