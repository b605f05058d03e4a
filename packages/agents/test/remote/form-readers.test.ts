import { encodeSse } from '@throughline/protocol'
import { describe, expect, test } from 'vitest'
import type { AgentEvent, MessageEnd } from '../../src/agent/agent-event.ts'
import { RemoteServiceError } from '../../src/errors/agent-errors.ts'
import { AgUiReader } from '../../src/remote/ag-ui-reader.ts'
import { AiSdkReader } from '../../src/remote/ai-sdk-reader.ts'
import type { FormReader, ReaderOptions } from '../../src/remote/form-reader.ts'
import { OpenAiReader } from '../../src/remote/openai-reader.ts'
import { ServiceErrors } from '../../src/remote/service-errors.ts'
import { readStream, sseMessages } from '../../src/remote/sse-messages.ts'
import { asWritten } from '../message/as-written.ts'

const errors = new ServiceErrors('Support', text => text)
const options: ReaderOptions = { errors, provider: 'support' }

interface Sample {
  readonly createReader: () => FormReader
  /** What a service sends: text, reasoning, a tool with its result where the form has one, and text. */
  readonly sent: readonly unknown[]
  readonly shown: string
}

const completion = (delta: unknown, more: object = {}) => ({ choices: [{ index: 0, delta, ...more }] })
const openAiCall = (id: string | undefined, text: string) => ({
  tool_calls: [{ index: 0, id, function: { name: 'weather', arguments: text } }],
})

const samples: Readonly<Record<string, Sample>> = {
  'ai-sdk': {
    createReader: () => new AiSdkReader(options),
    sent: [
      { type: 'start', messageId: 'm' },
      { type: 'start-step' },
      { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
      { type: 'text-delta', id: 't', delta: '你好 🌞' },
      { type: 'tool-input-start', toolCallId: 'c', toolName: 'weather' },
      { type: 'tool-input-delta', toolCallId: 'c', inputTextDelta: '{"city":"Lisbon"}' },
      { type: 'tool-input-available', toolCallId: 'c', toolName: 'weather', input: { city: 'Lisbon' } },
      { type: 'a-type-of-the-future', data: 1 },
      { type: 'tool-output-available', toolCallId: 'c', output: 21 },
      { type: 'finish-step' },
      { type: 'text-delta', id: 't', delta: 'Warm.' },
      { type: 'finish', finishReason: 'stop' },
      '[DONE]',
    ],
    shown: '(Hm.)你好 🌞[start c][{"city":"Lisbon"}][call {"city":"Lisbon"}][result 21]Warm.[finish stop]',
  },
  openai: {
    createReader: () => new OpenAiReader(options),
    sent: [
      completion({ role: 'assistant', content: '' }),
      completion({ reasoning_content: 'Hm.' }),
      completion({ content: '你好 ' }),
      completion({ content: '🌞' }),
      completion(openAiCall('c', '{"city":')),
      completion(openAiCall(undefined, '"Lisbon"}')),
      completion({}, { finish_reason: 'tool_calls' }),
      completion({ content: 'Warm.' }),
      completion({}, { finish_reason: 'stop' }),
      { choices: [], model: 'one', usage: { prompt_tokens: 7, completion_tokens: 3 } },
      '[DONE]',
    ],
    shown:
      '(Hm.)你好 🌞[start c][{"city":]["Lisbon"}][call {"city":"Lisbon"}]' +
      '[result "The service does not say what this tool returned."]Warm.[finish stop]',
  },
  'ag-ui': {
    createReader: () => new AgUiReader(options),
    sent: [
      { type: 'RUN_STARTED', threadId: 't', runId: 'r' },
      { type: 'REASONING_MESSAGE_CONTENT', messageId: 'r', delta: 'Hm.' },
      { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: '你好 🌞' },
      { type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 'weather' },
      { type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta: '{"city":"Lisbon"}' },
      { type: 'TOOL_CALL_END', toolCallId: 'c' },
      { type: 'STATE_SNAPSHOT', snapshot: {} },
      { type: 'TOOL_CALL_RESULT', messageId: 'x', toolCallId: 'c', content: '21' },
      { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm2', delta: 'Warm.' },
      { type: 'RUN_FINISHED', threadId: 't', runId: 'r' },
    ],
    shown: '(Hm.)你好 🌞[start c][{"city":"Lisbon"}][call {"city":"Lisbon"}][result 21]Warm.[finish stop]',
  },
}

describe.each(Object.entries(samples))('%s', (_, { createReader, sent, shown }) => {
  const bytes = Buffer.concat(sent.map(bytesOf))

  test('what a service sends is shown in order', async () => {
    expect(await read(createReader(), [bytes])).toEqual({ shown, error: undefined })
  })

  test('byte by byte it is the same', async () => {
    const pieces = Array.from(bytes, (_byte, index) => bytes.subarray(index, index + 1))
    expect(await read(createReader(), pieces)).toEqual({ shown, error: undefined })
  })

  test('cut after any byte, everything before it is shown, and the end is named', async () => {
    for (let end = 0; end < bytes.length; end += 1) {
      const result = await read(createReader(), [bytes.subarray(0, end)])
      if (result.error === undefined) expect(result.shown, `${end}`).toBe(shown)
      else expect(result.error, `${end}`).toBe('cut')
      expect(shown.startsWith(result.shown), `${end}: ${result.shown}`).toBe(true)
    }
  })

  test('garbage after any event is named, and everything before it is shown', async () => {
    for (const garbage of [
      '{"type":',
      '[]',
      'null',
      `{"type":"x","data":${'['.repeat(600)}${']'.repeat(600)}}`,
    ]) {
      for (let count = 0; count < sent.length - 3; count += 1) {
        const before = sent.slice(0, count).map(bytesOf)
        const clean = await read(createReader(), before)
        const result = await read(createReader(), [Buffer.concat([...before, bytesOf(garbage)])])
        expect(result.shown, `${count} ${garbage.slice(0, 20)}`).toBe(clean.shown)
        expect(result.error, `${count} ${garbage.slice(0, 20)}`).toBe(
          clean.error === undefined ? undefined : 'unreadable',
        )
      }
    }
  })
})

test('a delta without its text is named, and its value is not repeated', () => {
  const secret = { type: 'text-delta', id: 'a', delta: { secret: 1 } }
  expect(() => new AiSdkReader(options).read(JSON.stringify(secret))).toThrow(
    'The service of Support sent something that cannot be read: a text-delta chunk needs a valid "delta".',
  )
  const event = { type: 'TEXT_MESSAGE_CONTENT', messageId: 'a', delta: 1 }
  expect(() => new AgUiReader(options).read(JSON.stringify(event))).toThrow(
    'a TEXT_MESSAGE_CONTENT event needs a valid "delta"',
  )
  expect(() => new OpenAiReader(options).read('{"choices":1}')).toThrow('a chunk needs a valid "choices"')
})

test('two texts of the AI SDK that take turns stay apart', () => {
  const reader = new AiSdkReader(options)
  const deltas = ['a', 'b', 'a'].map(id => ({ type: 'text-delta', id, delta: id }))
  expect(deltas.flatMap(delta => reader.read(JSON.stringify(delta))).map(({ type }) => type)).toEqual([
    'text-delta',
    'text-end',
    'text-delta',
    'text-end',
    'text-delta',
  ])
})

test('a call of the AI SDK that waits for an approval ends with words that say so', () => {
  const reader = new AiSdkReader(options)
  const chunks = [
    { type: 'tool-input-available', toolCallId: 'c', toolName: 'send', input: {} },
    { type: 'tool-approval-request', toolCallId: 'c', approvalId: 'a' },
    { type: 'finish', finishReason: 'tool-calls' },
  ]
  expect(chunks.flatMap(chunk => reader.read(JSON.stringify(chunk)))).toMatchObject([
    { type: 'tool-call' },
    {
      type: 'tool-error',
      toolCallId: 'c',
      toolName: 'send',
      errorText: 'The call waits for an approval, which can only be given on the page of the service.',
    },
    { type: 'error', error: { code: 'needs-person' } },
  ])
})

test('a stream of the AI SDK that waits for tools of its client has not finished, and says which', () => {
  const reader = new AiSdkReader(options)
  const chunks = [
    { type: 'tool-input-available', toolCallId: 'c', toolName: 'locate', input: {} },
    { type: 'finish', finishReason: 'tool-calls' },
  ]
  expect(chunks.flatMap(chunk => reader.read(JSON.stringify(chunk)))).toMatchObject([
    { type: 'tool-call' },
    { type: 'error', error: { code: 'needs-tools', message: expect.stringContaining('locate') } },
  ])
})

test('thinking in the text of a completion is reasoning, however the text is cut', async () => {
  const text = '<think>Hm.</think>Fine.'
  const pieces = [...text].map(content => bytesOf(completion({ content })))
  expect((await read(new OpenAiReader(options), [...pieces, bytesOf('[DONE]')])).shown).toMatch(
    /^(\(.\))+Fine\.\[finish stop]$/,
  )
})

test('calls of a completion that share one index stay apart by their ids', async () => {
  const sent = [
    completion(openAiCall('a', '{"n":1}')),
    completion(openAiCall('b', '{"n":2}')),
    completion({}, { finish_reason: 'stop' }),
    '[DONE]',
  ]
  expect((await read(new OpenAiReader(options), sent.map(bytesOf))).shown).toMatch(
    /^\[start a]\[{"n":1}]\[start b]\[{"n":2}]\[call {"n":1}]\[call {"n":2}]/,
  )
})

test('text of a person and of sub-agents in an AG-UI stream is not part of the answer', async () => {
  const sent = [
    { type: 'TEXT_MESSAGE_START', messageId: 'u', role: 'user' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'u', delta: 'asked' },
    { type: 'SUBAGENT_STARTED', name: 'helper', parentToolCallId: 'c', subagentRunId: 's1' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 's', delta: 'sub', subagentRunId: 's1' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta: 'said' },
    { type: 'RUN_FINISHED', threadId: 't', runId: 'r' },
  ]
  expect((await read(new AgUiReader(options), sent.map(bytesOf))).shown).toBe('said[finish stop]')
})

test('a sub-agent in an AG-UI stream that works for no call is shown as a call, with what it said as the result', async () => {
  const by = (subagentRunId: string, event: object) => ({ ...event, subagentRunId })
  const says = (delta: string) => ({ type: 'TEXT_MESSAGE_CONTENT', messageId: `m-${delta}`, delta })
  const sent = [
    by('s1', { type: 'SUBAGENT_STARTED', name: 'researcher' }),
    by('s2', { type: 'SUBAGENT_STARTED', name: 'writer', parentToolCallId: 'c' }),
    by('s3', { type: 'SUBAGENT_STARTED', name: 'deeper', parentSubagentRunId: 's1' }),
    by('s1', says('Found it.')),
    by('s2', says('hidden')),
    by('s3', says('hidden')),
    by('s4', { type: 'SUBAGENT_STARTED', name: 'broken' }),
    by('s4', { type: 'SUBAGENT_ERROR', message: 'No luck.' }),
    by('s1', { type: 'SUBAGENT_FINISHED', outcome: { type: 'success' } }),
    by('s5', says('Nobody announced me.')),
    says('Done.'),
    { type: 'RUN_FINISHED', threadId: 't', runId: 'r' },
  ]
  expect((await read(new AgUiReader(options), sent.map(bytesOf))).shown).toBe(
    '[call {"name":"researcher"}][call {"name":"broken"}][error No luck.][result "Found it."]' +
      '[call {"name":"sub-agent"}]Done.[result "Nobody announced me."][finish stop]',
  )
})

const answered = [
  { id: 'old', role: 'assistant', content: 'An old answer.' },
  { id: 'u', role: 'user', content: 'How is Lisbon?' },
  { id: 'r', role: 'reasoning', content: 'Hm.' },
  {
    id: 'a',
    role: 'assistant',
    content: 'Let me look.',
    toolCalls: [{ id: 'c', type: 'function', function: { name: 'weather', arguments: '{"city":"Lisbon"}' } }],
  },
  { id: 't', role: 'tool', toolCallId: 'c', content: '21' },
  { id: 'b', role: 'assistant', content: [{ type: 'text', text: 'Warm.' }] },
]

test('a snapshot of the messages of AG-UI shows what was not streamed', async () => {
  const sent = [
    { type: 'RUN_STARTED', threadId: 't', runId: 'r' },
    { type: 'MESSAGES_SNAPSHOT', messages: answered.slice(0, 4) },
    { type: 'MESSAGES_SNAPSHOT', messages: answered },
    { type: 'MESSAGES_SNAPSHOT', messages: answered },
    { type: 'RUN_FINISHED', threadId: 't', runId: 'r' },
  ]
  expect((await read(new AgUiReader(options), sent.map(bytesOf))).shown).toBe(
    '(Hm.)Let me look.[start c][{"city":"Lisbon"}][call {"city":"Lisbon"}][result 21]Warm.[finish stop]',
  )
})

test('a snapshot of the messages of AG-UI repeats nothing that was streamed, also under other ids', async () => {
  const sent = [
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'a', delta: 'Let me ' },
    { type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 'weather' },
    { type: 'TOOL_CALL_RESULT', messageId: 'x', toolCallId: 'c', content: '21' },
    { type: 'TEXT_MESSAGE_CONTENT', messageId: 'z', delta: ' Warm.' },
    { type: 'MESSAGES_SNAPSHOT', messages: answered.slice(3) },
    { type: 'RUN_FINISHED', threadId: 't', runId: 'r' },
  ]
  expect((await read(new AgUiReader(options), sent.map(bytesOf))).shown).toBe(
    'Let me [start c][call {}][result 21] Warm.look.[finish stop]',
  )
})

test('the state of an AG-UI service goes to the pages that are open', () => {
  const reader = new AgUiReader(options)
  const events = [
    { type: 'STATE_SNAPSHOT', snapshot: { cart: 1 } },
    { type: 'STATE_DELTA', delta: [{ op: 'replace', path: '/cart', value: 2 }] },
  ]
  expect(events.flatMap(event => reader.read(JSON.stringify(event)))).toEqual(
    events.map(data => ({ type: 'ui-event', data })),
  )
})

test.each([
  ['ai-sdk', () => new AiSdkReader(options), (delta: string) => ({ type: 'text-delta', id: 't', delta })],
  [
    'ag-ui',
    () => new AgUiReader(options),
    (delta: string) => ({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta }),
  ],
])(
  'thinking in the text of the form %s is reasoning, however the text is cut',
  async (form, reader, delta) => {
    const end = form === 'ai-sdk' ? '[DONE]' : { type: 'RUN_FINISHED', threadId: 't', runId: 'r' }
    const pieces = [...'<think>Hm.</think>Fine.'].map(piece => bytesOf(delta(piece)))
    expect((await read(reader(), [...pieces, bytesOf(end)])).shown).toMatch(/^(\(.\))+Fine\.\[finish stop]$/)
  },
)

test('what looks like thinking in the text of another Throughline is text', () => {
  const reader = new AiSdkReader({ ...options, isModelText: false })
  const delta = '<think>Hm.</think>'
  expect(reader.read(JSON.stringify({ type: 'text-delta', id: 't', delta }))).toMatchObject([
    { type: 'text-delta', text: delta },
  ])
})

test('an SSE event that never ends is refused before it fills the memory', async () => {
  async function* endless() {
    const piece = Buffer.alloc(1_000_000, 'a')
    yield Buffer.from('data: ')
    for (;;) yield piece
  }
  const messages = sseMessages(endless(), errors)
  await expect(messages.next()).rejects.toMatchObject({ code: 'unreadable' })
})

function bytesOf(sent: unknown): Buffer {
  return Buffer.from(encodeSse({ data: typeof sent === 'string' ? sent : JSON.stringify(sent) }))
}

async function read(reader: FormReader, pieces: readonly Uint8Array[]) {
  const events: AgentEvent[] = []
  async function* bytes() {
    yield* pieces
  }
  try {
    for await (const event of readStream(sseMessages(bytes(), errors), reader, errors))
      if (event.type !== 'usage') events.push(event)
  } catch (error) {
    return { shown: shownBy(events), error: error instanceof RemoteServiceError ? error.code : error }
  }
  return { shown: shownBy(events), error: undefined }
}

function shownBy(events: readonly AgentEvent[]): string {
  return asWritten(events).map(shownAs).join('')
}

function shownAs(event: AgentEvent | MessageEnd): string {
  switch (event.type) {
    case 'text-delta':
      return event.text
    case 'reasoning-delta':
      return `(${event.text})`
    case 'tool-input-start':
      return `[start ${event.toolCallId}]`
    case 'tool-input-delta':
      return `[${event.text}]`
    case 'tool-call':
      return `[call ${JSON.stringify(event.input)}]`
    case 'tool-result':
      return `[result ${JSON.stringify(event.output)}]`
    case 'tool-error':
      return `[error ${event.errorText}]`
    case 'finish':
      return `[finish ${event.finishReason}]`
    default:
      return ''
  }
}
