import type { QueryEvent } from '@throughline/protocol'
import { anyQueryEvent, encodeQuery, weatherQuery } from '@throughline/testing/http/query-event-samples'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { queryAgent } from '../../src/events/query-agent.ts'
import { emptyQuery, foldQuery } from '../../src/events/query-state.ts'
import { bytesOf, cutAt, everyCut, recordingCallbacks, scriptedFetch } from './scripted-queries.ts'

type Bytes = Uint8Array<ArrayBuffer>

const text = '你好，我查一下\n今天天气很好 👩‍👩‍👧 naïve'
const [, , , step, call, result, complete, , final, usage] = weatherQuery
const expected = [
  ['onTextDelta', '', ''],
  ['onTextDelta', '你好，我查', '你好，我查'],
  ['onTextDelta', '一下\n', '你好，我查一下\n'],
  ['onStepStart', step],
  ['onToolCall', call],
  ['onToolResult', result],
  ['onStepComplete', complete],
  ['onTextDelta', '今天天气很好 👩‍👩‍👧 naïve', text],
  ['onFinal', final],
  ['onUsage', usage],
]

test('the callbacks and the text are the same wherever the bytes are cut', async () => {
  for (const pieces of everyCut(bytesOf(weatherQuery)))
    expect(await heard(pieces)).toEqual({ calls: expected, text })
})

test('so are they when the lines end otherwise, and when the stream begins with a mark or with its last word', async () => {
  const encoded = encodeQuery(weatherQuery)
  for (const ending of ['\r\n', '\r'])
    for (const pieces of everyCut(new TextEncoder().encode(encoded.replaceAll('\n', ending))))
      expect(await heard(pieces)).toEqual({ calls: expected, text })
  for (const start of ['\ufeff', ': done\n\n'])
    for (const pieces of everyCut(new TextEncoder().encode(start + encoded)))
      expect(await heard(pieces)).toEqual({ calls: expected, text })
})

test('whatever events come, in whatever pieces, each is told once and in order, up to the final one and its cost', async () => {
  const places = fc.array(fc.nat(5_000), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(fc.array(anyQueryEvent, { maxLength: 15 }), places, async (events, cuts) => {
      const sent: readonly QueryEvent[] = [...events, { type: 'error', error: 'over', timestamp: '' }]
      const told = JSON.parse(JSON.stringify(upToFinal(sent)))
      const outcome = await heard(cutAt(bytesOf(sent), cuts))

      const badEvents = outcome.calls.filter(([name]) => name === 'onBadEvent')
      expect(badEvents).toHaveLength(sent.length - told.length)
      expect(outcome.calls).toHaveLength(sent.length)
      expect(outcome.text).toBe(told.reduce(foldQuery, emptyQuery).response)
      expect(outcome).toEqual(await heard([bytesOf(sent)]))
    }),
    { numRuns: 200 },
  )
})

test('whatever stands between two good events is reported or passed by, and both arrive', async () => {
  const line = fc.string({ unit: 'binary', maxLength: 20 }).map(value => value.replace(/[\r\n]/g, ' '))
  const garbage = fc.oneof(
    line.map(value => `data: ${value}\n\n`),
    line.map(value => `:${value}\n\n`),
    line.map(value => `event: ${value}\nid: 1\n\n`),
    fc.constantFrom('retry: x\n\n', 'nonsense\n\n', '\n\n\n', 'data\n\n', 'data:\ndata:\n\n'),
  )
  const before = encodeQuery(weatherQuery.slice(0, 2)).replace(': done\n\n', '')
  await fc.assert(
    fc.asyncProperty(garbage, fc.array(fc.nat(1_000)), async (piece, cuts) => {
      const bytes = new TextEncoder().encode(before + piece + encodeQuery(weatherQuery.slice(8)))
      const { calls } = await heard(cutAt(bytes, cuts))
      expect(calls.filter(([name]) => name !== 'onBadEvent')).toEqual([
        ...expected.slice(0, 2),
        ...expected.slice(8),
      ])
    }),
    { numRuns: 300 },
  )
})

async function heard(pieces: readonly Bytes[]) {
  const { calls, callbacks } = recordingCallbacks()
  const text = await queryAgent('天气？', 'session-1', callbacks, scriptedFetch([{ pieces }]))
  // There is a new `decide` function for each request, so no two are equal.
  return { text, calls: calls.map(values => values.filter(value => typeof value !== 'function')) }
}

function upToFinal(events: readonly QueryEvent[]): readonly QueryEvent[] {
  const at = events.findIndex(({ type }) => type === 'final')
  if (at === -1) return events
  return [...events.slice(0, at + 1), ...events.slice(at).filter(({ type }) => type === 'usage')]
}
