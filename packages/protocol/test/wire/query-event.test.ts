import { anyQueryEvent, weatherQuery } from '@throughline/testing/http/query-event-samples'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseQueryEvent } from '../../src/wire/query-event.ts'

const [, delta, , step, call, result, complete, , final, usage] = weatherQuery

test('an event from the wire is the event that was sent', () => {
  fc.assert(
    fc.property(anyQueryEvent, event => {
      const json = JSON.stringify(event)
      expect(parseQueryEvent(json)).toEqual({ type: 'event', event: JSON.parse(json) })
    }),
    { numRuns: 500 },
  )
})

test('fields that this version does not know stay with the event', () => {
  expect(parseQueryEvent(JSON.stringify({ ...delta, agent: 'writer' }))).toEqual({
    type: 'event',
    event: { ...delta, agent: 'writer' },
  })
})

test('a type that this version does not know is told apart from a broken event, whatever it is called', () => {
  const names = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'toString', 'Final', ''))
  fc.assert(
    fc.property(names, fc.dictionary(fc.string(), fc.jsonValue()), (name, fields) => {
      const type = `x-${name}`
      expect(parseQueryEvent(JSON.stringify({ ...fields, type }))).toEqual({
        type: 'unknown',
        eventType: type,
      })
    }),
  )
  for (const type of ['__proto__', 'constructor', 'toString', ''])
    expect(parseQueryEvent(JSON.stringify({ type }))).toEqual({ type: 'unknown', eventType: type })
})

test.each<[string, unknown, Readonly<Record<string, unknown>>]>([
  ['a timestamp', { ...delta, timestamp: undefined }, { timestamp: '' }],
  ['a name to show', { ...call, display_name: undefined }, { display_name: '' }],
  ['a name to show that is a name', { ...call, display_name: 7 }, { display_name: '' }],
  ['a screenshot', { ...result, screenshot_base64: undefined }, { screenshot_base64: null }],
  ['a screenshot that is text', { ...result, screenshot_base64: {} }, { screenshot_base64: null }],
  ['a status that is known', { ...final, status: 'bored' }, { status: undefined }],
])('an event without %s is still an event, with what stands for it', (_, sent, fields) => {
  const parsed = parseQueryEvent(JSON.stringify(sent))
  expect(parsed).toMatchObject({ type: 'event', event: fields })
})

test.each([
  ['not JSON', 'the data is not JSON'],
  ['{"type":"text_delta","delta":"a"', 'the data is not JSON'],
  ['[]', 'an event must be a JSON object'],
  ['null', 'an event must be a JSON object'],
  ['"final"', 'an event must be a JSON object'],
  ['{"delta":"a"}', 'an event needs a string field "type"'],
  ['{"type":1}', 'an event needs a string field "type"'],
])('%s is invalid: %s', (json, problem) => {
  expect(parseQueryEvent(json)).toEqual({ type: 'invalid', problem })
})

test.each<[string, string, unknown]>([
  ['delta', 'text_delta', { ...delta, delta: 1 }],
  ['content', 'text', { type: 'text', content: null }],
  ['args', 'tool_call', { ...call, args: [] }],
  ['tool_call_id', 'tool_call', { ...call, tool_call_id: undefined }],
  ['result', 'tool_result', { ...result, result: { sky: 'clear' } }],
  ['is_error', 'tool_result', { ...result, is_error: 'no' }],
  ['step_number', 'step_start', { ...step, step_number: '1' }],
  ['status', 'step_complete', { ...complete, status: 'bored' }],
  ['content', 'final', { ...final, content: undefined }],
  ['usage', 'usage', { ...usage, usage: { total_tokens: 1, by_model: {} } }],
  ['usage', 'usage', { ...usage, usage: { ...numbers(), by_model: undefined } }],
  ['usage', 'usage', { ...usage, usage: { ...numbers(), by_model: { a: { model: 'a' } } } }],
  ['error', 'error', { type: 'error' }],
])('without a valid field "%s" a %s event is none, and the field is named', (field, type, sent) => {
  expect(parseQueryEvent(JSON.stringify(sent))).toEqual({
    type: 'invalid',
    problem: `the field "${field}" of a ${type} event is missing or of the wrong type`,
  })
})

test('no text makes the reader of events throw', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.json()), text => {
      expect(parseQueryEvent(text).type).not.toBe('event')
    }),
    { numRuns: 1000 },
  )
})

function numbers() {
  return { total_tokens: 1, total_prompt_tokens: 1, total_completion_tokens: 0, total_cost: 0 }
}
