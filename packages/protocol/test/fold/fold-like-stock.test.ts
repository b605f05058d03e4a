import { foldChunks, jsonOf } from '@throughline/testing/log/entries-of'
import { readUIMessageStream, type UIMessage } from 'ai'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Chunk } from '../../src/entries/chunk.ts'
import { emptyChat, messagesOf } from '../../src/fold/chat-state.ts'
import { isToolPart, type Message } from '../../src/message/message.ts'
import { toolInput } from '../../src/message/tool-call.ts'
import { chunkStream, fromWire } from '../chunk-arbitrary.ts'

const messageId = 'answer'

test('the folded message is the message of the AI SDK reader, after every stream', async () => {
  await fc.assert(
    fc.asyncProperty(chunkStream({ messageId }), async chunks => {
      expect(folded(chunks)).toEqual(await stock(chunks))
    }),
    { numRuns: 300 },
  )
})

test('the folded message is the message of the AI SDK reader, after any prefix', async () => {
  const cuts = fc.array(fc.nat(60), { minLength: 3, maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(chunkStream({ messageId }), cuts, async (chunks, lengths) => {
      for (const length of lengths) {
        const prefix = chunks.slice(0, 1 + length)
        expect(folded(prefix)).toEqual(await stock(prefix))
      }
    }),
    { numRuns: 80 },
  )
})

test('the generated streams contain every kind of chunk', () => {
  const streams = fc.sample(chunkStream({ messageId }), { numRuns: 200, seed: 1 })
  const types = new Set(streams.flat().map(({ type }) => type))
  expect([...types].sort()).toEqual([
    'abort',
    'custom',
    'data-chart',
    'data-note',
    'error',
    'file',
    'finish',
    'finish-step',
    'message-metadata',
    'reasoning-delta',
    'reasoning-end',
    'reasoning-file',
    'reasoning-start',
    'reset-step',
    'source-document',
    'source-url',
    'start',
    'start-step',
    'steering-message',
    'text-delta',
    'text-end',
    'text-start',
    'tool-approval-request',
    'tool-approval-response',
    'tool-input-available',
    'tool-input-delta',
    'tool-input-error',
    'tool-input-start',
    'tool-output-available',
    'tool-output-denied',
    'tool-output-error',
  ])
})

test('an unreadable input stays the kind of tool that its call began as', async () => {
  const chunks: Chunk[] = [
    { type: 'start', messageId },
    { type: 'tool-input-start', toolCallId: 'c', toolName: 'search' },
    {
      type: 'tool-input-error',
      toolCallId: 'c',
      toolName: 'search',
      dynamic: true,
      input: '{',
      errorText: 'no',
    },
  ]
  expect(folded(chunks)).toEqual(await stock(chunks))
  expect(folded(chunks)).toMatchObject({ parts: [{ type: 'tool-search', state: 'output-error' }] })
})

test('a call id that comes back in a later step is another call', async () => {
  const call = (input: string): Chunk => ({
    type: 'tool-input-available',
    toolCallId: 'c',
    toolName: 'search',
    input,
  })
  const output = (text: string): Chunk => ({ type: 'tool-output-available', toolCallId: 'c', output: text })
  const step: Chunk = { type: 'start-step' }
  const start: Chunk = { type: 'start', messageId }
  const chunks = [start, step, call('1'), output('one'), step, call('2'), output('two')]
  expect(folded(chunks)).toEqual(await stock(chunks))
  expect(folded(chunks)).toMatchObject({
    parts: [{}, { input: '1', output: 'one' }, {}, { input: '2', output: 'two' }],
  })
})

test("an approval's answer brings its own provider facts", async () => {
  const chunks: Chunk[] = [
    { type: 'start', messageId },
    { type: 'tool-input-available', toolCallId: 'c', toolName: 'pay', input: {} },
    { type: 'tool-approval-request', toolCallId: 'c', approvalId: 'a' },
    {
      type: 'tool-approval-response',
      approvalId: 'a',
      approved: true,
      providerExecuted: true,
      providerMetadata: { maker: { signature: 's' } },
    },
  ]
  expect(folded(chunks)).toEqual(await stock(chunks))
  expect(folded(chunks)).toMatchObject({
    parts: [{ providerExecuted: true, callProviderMetadata: { maker: { signature: 's' } } }],
  })
})

test('a call that is repeated after its approval keeps the approval', async () => {
  const call: Chunk = { type: 'tool-input-available', toolCallId: 'c', toolName: 'pay', input: {} }
  const chunks: Chunk[] = [
    { type: 'start', messageId },
    call,
    { type: 'tool-approval-request', toolCallId: 'c', approvalId: 'a' },
    { type: 'tool-approval-response', approvalId: 'a', approved: true },
    call,
  ]
  expect(folded(chunks)).toEqual(await stock(chunks))
  expect(folded(chunks)).toMatchObject({
    parts: [{ state: 'input-available', approval: { approved: true } }],
  })
})

// The stock reader shows a message only after a visible change: not after `start-step`, for example.
const show: Chunk = { type: 'message-metadata', messageMetadata: {} }

function folded(chunks: readonly Chunk[]): unknown {
  const [message] = messagesOf(foldChunks(emptyChat(), fromWire([...chunks, show]), messageId))
  return jsonOf(message === undefined ? undefined : withParsedInputs(message))
}

// The stock reader parses the input of a call with every delta. We parse it when somebody reads it.
function withParsedInputs(message: Message): Message {
  const parts = message.parts.map(part =>
    isToolPart(part) && part.state === 'input-streaming' ? { ...part, input: toolInput(part) } : part,
  )
  return { ...message, parts }
}

async function stock(chunks: readonly Chunk[]): Promise<unknown> {
  const errors: unknown[] = []
  // The stock reader puts the chunks into its message and changes them. So it gets copies.
  const stream = streamOf(fromWire([...chunks, show]))
  let last: UIMessage | undefined
  for await (const message of readUIMessageStream({ stream, onError: error => errors.push(error) })) {
    last = message
  }
  // An error chunk is reported the same way as a stream that does not fold.
  expect(errors).toHaveLength(chunks.filter(({ type }) => type === 'error').length)
  return jsonOf(last)
}

function streamOf(chunks: readonly Chunk[]): ReadableStream<Chunk> {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
}
