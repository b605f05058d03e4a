import { createParser, type EventSourceMessage } from 'eventsource-parser'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeSse, encodeSseComment, encodeSseRetry, type SseEvent } from '../../src/wire/sse.ts'

const awkward = [
  '你好',
  '👩‍👩‍👧',
  '\u2028',
  '\u2029',
  '\ud83d',
  '\ude00',
  '\ufeff',
  '\r\n',
  '\n\n',
  '\0',
  ' : ',
  'data:',
  '\\',
]
const text = fc
  .array(fc.oneof(fc.constantFrom(...awkward), fc.string({ unit: 'binary', maxLength: 6 })), { maxLength: 6 })
  .map(pieces => pieces.join(''))
// A field can hold any single line of text. JSON is always a single line, whatever it contains.
const json = fc.oneof(text, fc.dictionary(text, text)).map(value => JSON.stringify(value))
const line = fc.string({ unit: 'binary', maxLength: 12 }).map(value => value.replace(/[\r\n\0]/g, '_'))

const event: fc.Arbitrary<SseEvent> = fc.record(
  { id: line, event: line.filter(name => name !== ''), data: fc.oneof(json, line) },
  { requiredKeys: ['data'] },
)

test('a parsed event is the encoded one, wherever its bytes are split', () => {
  fc.assert(
    fc.property(event, sent => {
      const bytes = new TextEncoder().encode(encodeSse(sent))
      for (let split = 0; split <= bytes.length; split += 1) {
        expect(parsed([bytes.subarray(0, split), bytes.subarray(split)])).toEqual([sent])
      }
    }),
  )
})

test('events and comments in a row come out in order and once, byte by byte', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(event, line), { maxLength: 5 }), sent => {
      const encoded = sent.map(([each, comment]) => encodeSseComment(comment) + encodeSse(each))
      const bytes = new TextEncoder().encode(encoded.join(''))
      expect(parsed(Array.from(bytes, byte => Uint8Array.of(byte)))).toEqual(sent.map(([each]) => each))
    }),
  )
})

test('JSON that comes out of a stream is the JSON that went in, lone surrogates included', () => {
  fc.assert(
    fc.property(text, value => {
      const bytes = new TextEncoder().encode(encodeSse({ data: JSON.stringify({ value }) }))
      expect(parsed([bytes]).map(({ data }) => JSON.parse(data))).toEqual([{ value }])
    }),
  )
})

test('the fields stand one per line, and a blank line ends the event', () => {
  expect(encodeSse({ id: 'e.1', event: 'reset', data: '{}' })).toBe('id: e.1\nevent: reset\ndata: {}\n\n')
  expect(encodeSse({ data: '[DONE]' })).toBe('data: [DONE]\n\n')
  expect(encodeSseComment('ping')).toBe(': ping\n\n')
})

test('a comment is no event', () => {
  expect(parsed([new TextEncoder().encode(encodeSseComment('data: x'))])).toEqual([])
})

test('the retry time is no event, wherever its bytes are split, and a parser understands it', () => {
  const bytes = new TextEncoder().encode(encodeSseRetry(1_000))
  for (let split = 0; split <= bytes.length; split += 1)
    expect(parsed([bytes.subarray(0, split), bytes.subarray(split)])).toEqual([])
  const times: number[] = []
  createParser({ onRetry: ms => times.push(ms) }).feed(encodeSseRetry(1_000))
  expect(times).toEqual([1_000])
})

test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY])('a retry time of %d is refused', ms => {
  expect(() => encodeSseRetry(ms)).toThrow('must be whole milliseconds')
})

test('a line break or NUL in any field is refused, whatever surrounds it', () => {
  fc.assert(
    fc.property(line, line, fc.constantFrom('\r', '\n', '\r\n', '\0'), (before, after, breaker) => {
      const value = before + breaker + after
      expect(() => encodeSse({ id: value, data: '' })).toThrow("A server-sent event's id must be one line")
      expect(() => encodeSse({ event: value, data: '' })).toThrow(
        "A server-sent event's event must be one line",
      )
      expect(() => encodeSse({ data: value })).toThrow("A server-sent event's data must be one line")
      expect(() => encodeSseComment(value)).toThrow('Encode it as JSON first.')
    }),
  )
})

function parsed(pieces: readonly Uint8Array[]): EventSourceMessage[] {
  const events: EventSourceMessage[] = []
  const parser = createParser({
    onEvent: ({ id, event: name, data }) =>
      events.push({
        ...(id === undefined ? {} : { id }),
        ...(name === undefined ? {} : { event: name }),
        data,
      }),
    onError: error => {
      throw error
    },
  })
  const decoder = new TextDecoder()
  for (const piece of pieces) parser.feed(decoder.decode(piece, { stream: true }))
  return events
}
