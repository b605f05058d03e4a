import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createEpoch, formatPosition, parsePosition } from '../../src/entries/position.ts'

const epochs = fc.stringMatching(/^[A-Za-z0-9]{1,32}$/)

test('a position reads as it was written', () => {
  fc.assert(
    fc.property(epochs, fc.maxSafeNat(), (epoch, seq) => {
      expect(parsePosition(formatPosition({ epoch, seq }))).toEqual({ epoch, seq })
    }),
  )
  const last = { epoch: createEpoch(), seq: Number.MAX_SAFE_INTEGER }
  expect(parsePosition(formatPosition(last))).toEqual(last)
})

test('whatever reads as a position is written the same way again', () => {
  const seqs = fc.oneof(fc.nat().map(String), fc.stringMatching(/^[0-9]{0,18}$/), fc.string())
  fc.assert(
    fc.property(fc.oneof(epochs, fc.string()), seqs, (epoch, seq) => {
      const text = `${epoch}.${seq}`
      const position = parsePosition(text)
      if (position !== undefined) expect(formatPosition(position)).toBe(text)
    }),
    { numRuns: 1000 },
  )
})

test.each([
  '',
  '.',
  'a',
  'a.',
  '.1',
  'a.b',
  'a.-1',
  'a.+1',
  'a.1.2',
  'a.01',
  'a.00',
  'a.1e3',
  'a.0x1',
  'a. 1',
  'a.1 ',
  'a.1\n',
  'a.1\r',
  '\na.1',
  'a.9007199254740992',
  'a.9999999999999999',
  'a.99999999999999999999',
  'a.١',
  'é.1',
  'a-b.1',
  'a/b.1',
  `${'a'.repeat(33)}.1`,
])('%j is no position', text => {
  expect(parsePosition(text)).toBeUndefined()
})

test('an epoch is new each time and fits into a position', () => {
  const made = Array.from({ length: 1000 }, createEpoch)
  expect(new Set(made).size).toBe(1000)
  expect(made.every(epoch => parsePosition(`${epoch}.0`)?.epoch === epoch)).toBe(true)
})
