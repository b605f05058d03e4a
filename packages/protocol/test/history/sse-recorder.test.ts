import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SseRecorder, utf8From } from '../../src/history/sse-recorder.ts'

const stream =
  'retry: 1000\n\nid: e.1\ndata: {"a":"ä"}\n\n: heartbeat\n\nevent: reset\ndata: {}\n\nid: e.2\r\ndata: x\r\n\r\ndata: [DONE]\n\n'
const bytes = new TextEncoder().encode(stream)

test('a stream has the same events wherever it is split, each when its last byte has come', () => {
  const whole = recorded([bytes.length])
  fc.assert(
    fc.property(fc.array(fc.nat(bytes.length), { maxLength: 8 }), cuts => {
      const places = [...cuts.toSorted((one, other) => one - other), bytes.length]
      const { bytes: all, arrivals, events, commentCount } = recorded(places)
      expect({ all, commentCount }).toEqual({ all: whole.bytes, commentCount: whole.commentCount })
      expect(arrivals.map(({ length }) => length)).toEqual(places)
      expect(events).toEqual(
        whole.events.map(event => ({
          ...event,
          arrivedAt: places.findIndex(place => place >= event.endsAt),
        })),
      )
    }),
  )
})

test('events keep their bytes and fields, and all else is a comment', () => {
  const recorder = new SseRecorder()
  recorder.push(bytes, 7)
  recorder.push('data: not yet', 8)
  const fields = { id: undefined, name: undefined, position: undefined, arrivedAt: 7 }
  const first = { ...fields, id: 'e.1', position: { epoch: 'e', seq: 1 } }
  const second = { ...fields, id: 'e.2', position: { epoch: 'e', seq: 2 } }
  expect(recorder.commentCount).toBe(2)
  expect(recorder.events).toEqual([
    { ...first, bytes: 'id: e.1\ndata: {"a":"Ã¤"}\n\n', data: '{"a":"ä"}', endsAt: 39 },
    { ...fields, bytes: 'event: reset\ndata: {}\n\n', name: 'reset', data: '{}', endsAt: 75 },
    { ...second, bytes: 'id: e.2\r\ndata: x\r\n\r\n', data: 'x', endsAt: 95 },
    { ...fields, bytes: 'data: [DONE]\n\n', data: '[DONE]', endsAt: 109 },
  ])
  expect(utf8From(recorder.bytes)).toBe(`${stream}data: not yet`)
})

/** Records the stream in pieces that end at these places. The time of each piece is its number. */
function recorded(places: readonly number[]): SseRecorder {
  const recorder = new SseRecorder()
  for (const [index, place] of places.entries())
    recorder.push(bytes.subarray(places[index - 1] ?? 0, place), index)
  return recorder
}
