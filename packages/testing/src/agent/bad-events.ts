import type { AgentEvent } from '@throughline/agents'
import fc from 'fast-check'

const cycle: Record<string, unknown> = {}
cycle['self'] = cycle

const call = { toolCallId: 'call', toolName: 'weather', input: {} }

/** Values that are not agent events, each with the expected error message. */
export const badEvents: readonly (readonly [value: unknown, problem: string])[] = [
  [undefined, 'an event must be an object with a "type"'],
  [null, 'an event must be an object with a "type"'],
  [42, 'an event must be an object with a "type"'],
  ['text', 'an event must be an object with a "type"'],
  [Symbol('event'), 'an event must be an object with a "type"'],
  [[], 'an event must be an object with a "type"'],
  [{}, 'an event must be an object with a "type"'],
  [{ type: 42 }, 'an event must be an object with a "type"'],
  [{ type: 'banana' }, 'unknown event type "banana"'],
  [{ type: 'tool-banana', toolCallId: 'call' }, 'unknown event type "tool-banana"'],
  [{ type: 'constructor' }, 'unknown event type "constructor"'],
  // An agent does not end its message itself: the code that runs the agent does.
  [{ type: 'end', status: 'finished' }, 'unknown event type "end"'],
  [{ type: 'start', messageId: 'x' }, 'unknown event type "start"'],
  [{ type: 'text-delta' }, 'a text-delta event needs a valid "text"'],
  [{ type: 'text-delta', text: 42 }, 'a text-delta event needs a valid "text"'],
  [{ type: 'text-snapshot', text: null }, 'a text-snapshot event needs a valid "text"'],
  [{ type: 'reasoning-delta', text: {} }, 'a reasoning-delta event needs a valid "text"'],
  [{ type: 'text-delta', text: 'x', providerMetadata: 1 }, needs('text-delta', 'providerMetadata')],
  [{ type: 'text-delta', text: 'x', providerMetadata: { a: 1 } }, needs('text-delta', 'providerMetadata')],
  [
    { type: 'text-delta', text: 'x', providerMetadata: { a: { b: 1n } } },
    needs('text-delta', 'providerMetadata'),
  ],
  [{ type: 'reasoning-end', providerMetadata: { a: cycle } }, needs('reasoning-end', 'providerMetadata')],
  [{ type: 'text-end', citations: [{ source: 'x' }] }, needs('text-end', 'citations')],
  [{ type: 'content', text: 1 }, needs('content', 'text')],
  [{ type: 'content', toolCalls: 'call' }, needs('content', 'toolCalls')],
  [{ type: 'content', toolCalls: [{ toolName: 'x' }] }, needs('content', 'toolCalls')],
  [{ type: 'tool-input-start', toolName: 'x' }, needs('tool-input-start', 'toolCallId')],
  [{ type: 'tool-input-delta', toolCallId: 'call', text: 1 }, needs('tool-input-delta', 'text')],
  [{ type: 'tool-call', ...call, toolName: 1 }, needs('tool-call', 'toolName')],
  [{ type: 'tool-call', ...call, title: 1 }, needs('tool-call', 'title')],
  [{ type: 'tool-result', ...call, toolCallId: null }, needs('tool-result', 'toolCallId')],
  [{ type: 'tool-error', ...call, errorText: new Error('x') }, needs('tool-error', 'errorText')],
  [{ type: 'tool-approval-request', toolCallId: 'call' }, needs('tool-approval-request', 'approvalId')],
  [{ type: 'source', chunk: { type: 'start' } }, needs('source', 'chunk')],
  [{ type: 'source', chunk: { type: 'source-url', sourceId: 's' } }, needs('source', 'chunk')],
  [{ type: 'file', chunk: { type: 'file', url: 1, mediaType: 'x' } }, needs('file', 'chunk')],
  [{ type: 'file' }, needs('file', 'chunk')],
  [{ type: 'step-end', usage: { inputTokens: 'many' } }, needs('step-end', 'usage')],
  [{ type: 'finish', finishReason: 'tired' }, needs('finish', 'finishReason')],
  [{ type: 'finish' }, needs('finish', 'finishReason')],
  [unreadable(), 'an event cannot be read'],
]

export const badEvent: fc.Arbitrary<AgentEvent> = fc
  .constantFrom(...badEvents.map(([value]) => value))
  .map(asEvent)

/** Returns any value as an event, as a program without types could send it. */
export function asEvent(value: unknown): AgentEvent {
  trust(value)
  return value
}

// Checks nothing. It only makes the type checker accept the value.
function trust(_value: unknown): asserts _value is AgentEvent {}

function needs(type: string, field: string): string {
  return `a ${type} event needs a valid "${field}"`
}

function unreadable(): unknown {
  return {
    type: 'text-delta',
    get text(): string {
      throw new Error('secret')
    },
  }
}
