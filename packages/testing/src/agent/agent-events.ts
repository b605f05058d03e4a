import type { AgentEvent, MessageEnd, ToolCall } from '@throughline/agents'
import fc from 'fast-check'

// Any events in any order. An agent need not open, close or number anything, so the order here is random.

const text = fc.string({ unit: 'grapheme', maxLength: 6 })

const json = fc.oneof(
  fc.constantFrom(null, true, 0, '', 'clear'),
  fc.dictionary(fc.constantFrom('city', '城市'), text, { maxKeys: 2 }),
  fc.array(fc.integer(), { maxLength: 3 }),
)

const providerMetadata = fc.option(fc.constant({ maker: { signature: 's' } }), { nil: undefined, freq: 4 })

// There are few ids, so that calls often share one. Some look like the id of a renamed call.
const toolCallId = fc.constantFrom('call', 'other', 'call-1', 'call-2', 'call-3')

const call: fc.Arbitrary<ToolCall> = fc.record({
  toolCallId,
  toolName: fc.constantFrom('weather', 'search'),
  input: json,
  title: fc.option(fc.constant('A title'), { nil: undefined, freq: 4 }),
  dynamic: fc.option(fc.constant(true), { nil: undefined, freq: 4 }),
  providerExecuted: fc.option(fc.boolean(), { nil: undefined, freq: 4 }),
  providerMetadata,
})

const textEvent: fc.Arbitrary<AgentEvent> = fc.oneof(
  fc.record({ type: fc.constant('text-delta' as const), text, providerMetadata }),
  fc.record({ type: fc.constant('reasoning-delta' as const), text, providerMetadata }),
)

const partEvent: fc.Arbitrary<AgentEvent> = fc.oneof(
  fc.record({ type: fc.constant('text-end' as const), providerMetadata }),
  fc.record({ type: fc.constant('reasoning-end' as const), providerMetadata }),
  fc.record(
    {
      type: fc.constant('content' as const),
      reasoning: text,
      toolCalls: fc.array(call, { maxLength: 3 }),
      text,
    },
    { requiredKeys: ['type'] },
  ),
  fc.record({
    type: fc.constant('source' as const),
    chunk: fc.constant({ type: 'source-url', sourceId: 's', url: 'https://example.com' } as const),
  }),
  fc.record({
    type: fc.constant('file' as const),
    chunk: fc.constant({ type: 'file', mediaType: 'image/png', url: 'data:,' } as const),
  }),
  fc.record({ type: fc.constant('ui-event' as const), data: json }),
)

const toolEvent: fc.Arbitrary<AgentEvent> = fc.oneof(
  call.map(({ input, ...start }) => ({ type: 'tool-input-start', ...start }) as const),
  fc.record({ type: fc.constant('tool-input-delta' as const), toolCallId, text }),
  call.map(each => ({ type: 'tool-call', ...each }) as const),
  call.map(each => ({ type: 'tool-call-invalid', ...each, errorText: 'no such tool' }) as const),
  fc.tuple(call, json).map(([each, output]) => ({ type: 'tool-progress', ...each, output }) as const),
  fc.tuple(call, json).map(([each, output]) => ({ type: 'tool-result', ...each, output }) as const),
  call.map(each => ({ type: 'tool-error', ...each, errorText: 'broken' }) as const),
)

const stepEvent = fc.constantFrom<AgentEvent[]>(
  { type: 'step-start' },
  { type: 'step-end' },
  { type: 'response-done' },
  { type: 'finish', finishReason: 'stop' },
  { type: 'error', error: new Error('The model is gone.') },
)

/** Any events in any order, without text snapshots: what a snapshot adds depends on the text before it. */
export const agentEvents: fc.Arbitrary<AgentEvent[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: textEvent },
    { weight: 2, arbitrary: partEvent },
    { weight: 4, arbitrary: toolEvent },
    { weight: 1, arbitrary: stepEvent },
  ),
  { maxLength: 40, size: 'max' },
)

export const messageEnd: fc.Arbitrary<MessageEnd> = fc.constantFrom<MessageEnd[]>(
  { type: 'end', status: 'finished', finishReason: 'stop' },
  { type: 'end', status: 'finished', usage: { inputTokens: 1, outputTokens: 2, totalTokens: 3 } },
  { type: 'end', status: 'failed', text: 'The provider broke.' },
  { type: 'end', status: 'stopped', text: 'Stopped by the user.' },
  { type: 'end', status: 'interrupted', text: 'The server was restarted.' },
  { type: 'end', status: 'limit' },
)
