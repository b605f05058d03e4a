import fc from 'fast-check'
import { expect, test } from 'vitest'
import { allocateStreamBytes, streamBytes } from '../../src/stream/bytes/stream-bytes.ts'

test('texts of any length and script become their bytes in UTF-8, and no text writes over another', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: 'grapheme', minLength: 1_000, maxLength: 6_000 }),
    fc.string({ unit: fc.constant('x'), minLength: 1_000, maxLength: 20_000 }),
  )
  fc.assert(
    fc.property(fc.array(text), texts => {
      const encoded = texts.map(streamBytes)
      expect(encoded.map(bytes => bytes.toString('hex'))).toEqual(
        texts.map(each => Buffer.from(each).toString('hex')),
      )
    }),
  )
})

test('memory has the size that was asked for, and no two of them overlap', () => {
  const sizes = [0, 1, 100, 4_095, 4_096, 4_097, 8_192, 100_000, 3]
  const allocated = sizes.map(size => allocateStreamBytes(size))
  for (const [index, bytes] of allocated.entries()) bytes.fill(index)
  expect(allocated.map(bytes => bytes.length)).toEqual(sizes)
  for (const [index, bytes] of allocated.entries()) expect(bytes.every(byte => byte === index)).toBe(true)
})

test('small bytes share memory with each other, but not with other users of Node', () => {
  const buffers = Array.from({ length: 20 }, () => streamBytes('a short event').buffer)
  expect(new Set(buffers).size).toBeLessThanOrEqual(2)
  expect(buffers).not.toContain(Buffer.from('the body of a request').buffer)
})
