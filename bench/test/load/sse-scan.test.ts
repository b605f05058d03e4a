import { expect, test } from 'vitest'
import { SseScan } from '../../src/load/viewers/sse-scan.ts'

const stream = Buffer.from(
  [
    'retry: 1000\n\n',
    'id: e.1\ndata: {"type":"text-delta","id":"t","delta":"t0000000000"}\n\n',
    'id: e.2\ndata: {"type":"text-delta","id":"t","delta":"t0000000001t0000000002"}\n\n',
    'id: e.3\ndata: {"type":"finish"}\n\n',
  ].join(''),
)

test('finds the numbers of all deltas, wherever the bytes are cut', () => {
  for (let cut = 0; cut <= stream.length; cut += 1) {
    const numbers: number[] = []
    const scan = new SseScan(
      { chars: 11, deltas: 3 },
      { delta: number => numbers.push(number), event: () => {} },
    )
    scan.read(stream.subarray(0, cut))
    scan.read(stream.subarray(cut))
    expect(numbers).toEqual([0, 1, 2])
    expect(scan).toMatchObject({ hasFinished: true, lastEventId: 'e.3' })
  }
})

test('the id of an event counts only when the whole event is there', () => {
  const scan = new SseScan({ chars: 11, deltas: 3 }, { delta: () => {}, event: () => {} })
  scan.read(stream.subarray(0, stream.indexOf('id: e.2') + 20))
  expect(scan.lastEventId).toBe('e.1')
})

test('a text without a number is an error', () => {
  const scan = new SseScan({ chars: 11, deltas: 3 }, { delta: () => {}, event: () => {} })
  expect(() => scan.read(Buffer.from('data: {"delta":"hello world"}\n\n'))).toThrow('no number')
})
