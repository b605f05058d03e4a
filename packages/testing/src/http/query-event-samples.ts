import {
  encodeSse,
  encodeSseComment,
  encodeSseRetry,
  type QueryEvent,
  type QueryUsage,
} from '@throughline/protocol'
import fc from 'fast-check'

const timestamp = '2026-02-06T10:30:00.123Z'

const usage: QueryUsage = {
  total_tokens: 1234,
  total_prompt_tokens: 1000,
  total_completion_tokens: 234,
  total_cost: 0.0025,
  cost_known: true,
  by_model: {
    'gpt-4o': {
      model: 'gpt-4o',
      prompt_tokens: 1000,
      completion_tokens: 234,
      total_tokens: 1234,
      cost: 0.0025,
      cost_known: true,
      invocations: 5,
    },
  },
}

/** The events of a whole answer: text, a step with a tool, text, the end. Its graphemes have 1 to 11 bytes each. */
export const weatherQuery: readonly QueryEvent[] = [
  { type: 'text_delta', delta: '', timestamp },
  { type: 'text_delta', delta: '你好，我查', timestamp },
  { type: 'text_delta', delta: '一下\n', timestamp },
  { type: 'step_start', step_id: 'step-1', title: '搜索天气信息', step_number: 1, timestamp },
  {
    type: 'tool_call',
    tool: 'get_weather',
    args: { location: '北京' },
    tool_call_id: 'call-1',
    display_name: '',
    timestamp,
  },
  {
    type: 'tool_result',
    tool: 'get_weather',
    result: '北京今天晴天☀️，温度 25°C',
    tool_call_id: 'call-1',
    is_error: false,
    screenshot_base64: null,
    timestamp,
  },
  { type: 'step_complete', step_id: 'step-1', status: 'completed', duration_ms: 1234.56, timestamp },
  { type: 'text_delta', delta: '今天天气很好 👩‍👩‍👧 naïve', timestamp },
  { type: 'final', content: '你好，我查一下\n今天天气很好 👩‍👩‍👧 naïve', timestamp },
  { type: 'usage', session_id: 'session-1', usage, timestamp },
]

/** Returns events as the server writes them: after the retry time, each with a heartbeat before it, and a comment at the end. */
export function encodeQuery(events: readonly QueryEvent[]): string {
  const sseEvents = events.map(
    event => encodeSseComment('heartbeat') + encodeSse({ data: JSON.stringify(event) }),
  )
  return encodeSseRetry(1_000) + sseEvents.join('') + encodeSseComment('done')
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 8 }),
  fc.constantFrom('', '你', '\n\n', 'data: ', ': done', '\ud83d', '\u2028', '👩‍👩‍👧'),
)
const id = fc.constantFrom('one', 'two', 'three')
const time = fc.constant(timestamp)
const count = fc.nat(10_000)

const modelUsage = fc.record({
  model: fc.constant('model'),
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  cost: fc.double({ min: 0, max: 10, noNaN: true }),
  invocations: count,
})

/** Any event of the event API. */
export const anyQueryEvent: fc.Arbitrary<QueryEvent> = fc.oneof(
  fc.record({ type: fc.constant('text_delta'), delta: text, timestamp: time }),
  fc.record({ type: fc.constant('text'), content: text, timestamp: time }),
  fc.record({
    type: fc.constant('tool_call'),
    tool: text,
    args: fc.dictionary(text, fc.oneof(text, count)),
    tool_call_id: id,
    display_name: text,
    timestamp: time,
  }),
  fc.record({
    type: fc.constant('tool_result'),
    tool: text,
    result: text,
    tool_call_id: id,
    is_error: fc.boolean(),
    screenshot_base64: fc.option(fc.constant('iVBORw0KGgo=')),
    timestamp: time,
  }),
  fc.record({
    type: fc.constant('approval_request'),
    approval_id: id,
    tool: text,
    args: fc.dictionary(text, fc.oneof(text, count)),
    tool_call_id: id,
    display_name: text,
    timestamp: time,
  }),
  fc.record({
    type: fc.constant('approval_response'),
    approval_id: id,
    tool_call_id: id,
    approved: fc.boolean(),
    reason: fc.option(text),
    timestamp: time,
  }),
  fc.record({
    type: fc.constant('step_start'),
    step_id: id,
    title: text,
    step_number: count,
    timestamp: time,
  }),
  fc.record({
    type: fc.constant('step_complete'),
    step_id: id,
    status: fc.constantFrom('completed', 'error'),
    duration_ms: count,
    timestamp: time,
  }),
  fc.record({ type: fc.constant('final'), content: text, timestamp: time }),
  fc.record({
    type: fc.constant('usage'),
    session_id: id,
    usage: fc.record({
      total_tokens: count,
      total_prompt_tokens: count,
      total_completion_tokens: count,
      total_cost: count,
      cost_known: fc.boolean(),
      by_model: fc.dictionary(fc.constantFrom('model', '模型'), modelUsage),
    }),
    timestamp: time,
  }),
  fc.record({ type: fc.constant('error'), error: text, timestamp: time }),
)
