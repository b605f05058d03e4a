import { encodeQuery, weatherQuery } from '@throughline/testing/http/query-event-samples'
import { expect, test } from 'vitest'
import { queryAgent } from '../../src/events/query-agent.ts'
import { QueryMeter } from '../../src/events/query-meter.ts'
import { scriptedFetch } from './scripted-queries.ts'

test('a meter counts events by type and times the first token and the end', async () => {
  let now = 1_000
  const meter = new QueryMeter({ now: () => now })
  // The clock goes on by one with each event. The first delta is empty, so the first token is the second event.
  const onRaw = (line: string) => {
    if (line.startsWith('data')) now += 1
  }
  const pieces = weatherQuery.map(event => `data: ${JSON.stringify(event)}\n\n`)
  const { fetch } = scriptedFetch([{ pieces }])
  await queryAgent('Hi', null, {}, { fetch, meter, onRaw })

  expect(meter.read()).toEqual({
    total: 10,
    counts: {
      text_delta: 4,
      step_start: 1,
      tool_call: 1,
      tool_result: 1,
      step_complete: 1,
      final: 1,
      usage: 1,
    },
    firstTokenMs: 2,
    finalMs: 9,
  })
})

test('what could not be read and what is of an unknown type are counted too', async () => {
  const meter = new QueryMeter()
  const odd = 'data: {"type":"hologram"}\n\ndata: oops\n\ndata: {"type":"__proto__"}\n\n'
  const end = 'data: {"type":"text","content":"a"}\n\ndata: {"type":"error","error":"no"}\n\n'
  const { fetch } = scriptedFetch([{ pieces: [odd, end] }])
  await queryAgent('Hi', null, { onBadEvent: () => undefined }, { fetch, meter })

  const { total, counts, firstTokenMs, finalMs } = meter.read()
  expect(total).toBe(5)
  expect(Object.entries(counts)).toEqual([
    ['hologram', 1],
    ['invalid', 1],
    ['__proto__', 1],
    ['text', 1],
    ['error', 1],
  ])
  expect(firstTokenMs).toEqual(expect.any(Number))
  expect(finalMs).toBeUndefined()
})

test('a meter begins anew with every query', async () => {
  const meter = new QueryMeter()
  const answer = { pieces: [encodeQuery(weatherQuery)] }
  const { fetch } = scriptedFetch([answer, answer])
  for (const _ of [1, 2]) await queryAgent('Hi', null, {}, { fetch, meter })
  expect(meter.read().total).toBe(weatherQuery.length)
})
