import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type SseBlock, SseSplitter } from '../src/conformance/sse-splitter.ts'

const stream =
  'retry: 1000\n\nid: e.1\ndata: {"a":1}\n\n: heartbeat\n\nevent: reset\ndata: {}\n\nid: e.2\r\ndata: x\r\n\r\ndata: [DONE]\n\n'

test('a stream has the same blocks wherever it is split', () => {
  const whole = new SseSplitter().push(stream, 0)
  fc.assert(
    fc.property(fc.array(fc.nat(stream.length), { maxLength: 8 }), cuts => {
      const places = [0, ...cuts.toSorted((one, other) => one - other), stream.length]
      const splitter = new SseSplitter()
      const blocks: SseBlock[] = []
      for (const [index, place] of places.entries())
        blocks.push(...splitter.push(stream.slice(places[index - 1] ?? 0, place), 0))
      expect(blocks).toEqual(whole)
    }),
  )
})

test('events keep their bytes and fields, and all else is a comment', () => {
  const blocks = new SseSplitter().push(`${stream}data: not yet`, 7)
  expect(blocks.map(block => (block.type === 'event' ? block.event : block.type))).toEqual([
    'comment',
    { raw: 'id: e.1\ndata: {"a":1}\n\n', id: 'e.1', event: undefined, data: '{"a":1}', arrivedAt: 7 },
    'comment',
    { raw: 'event: reset\ndata: {}\n\n', id: undefined, event: 'reset', data: '{}', arrivedAt: 7 },
    { raw: 'id: e.2\r\ndata: x\r\n\r\n', id: 'e.2', event: undefined, data: 'x', arrivedAt: 7 },
    { raw: 'data: [DONE]\n\n', id: undefined, event: undefined, data: '[DONE]', arrivedAt: 7 },
  ])
})
