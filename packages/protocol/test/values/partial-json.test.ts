import { parsePartialJson as stockParse } from 'ai'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parsePartialJson } from '../../src/values/json.ts'
import { plainJson } from '../chunk-arbitrary.ts'

const spacing = fc.constantFrom(undefined, 2, '\t')

test('every prefix has the value that the AI SDK sees in it', async () => {
  await fc.assert(
    fc.asyncProperty(plainJson, spacing, async (value, space) => {
      for (const prefix of prefixesOf(JSON.stringify(value, null, space))) {
        expect({ prefix, value: parsePartialJson(prefix) }).toEqual({
          prefix,
          value: (await stockParse(prefix)).value,
        })
      }
    }),
    { numRuns: 200 },
  )
})

test('the whole text has its own value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), spacing, (value, space) => {
      const text = JSON.stringify(value, null, space)
      expect(parsePartialJson(text)).toStrictEqual(JSON.parse(text))
    }),
  )
})

test('no prefix shows anything that the whole does not begin with', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), spacing, (value, space) => {
      const text = JSON.stringify(value, null, space)
      const whole: unknown = JSON.parse(text)
      for (const prefix of prefixesOf(text)) {
        const partial = parsePartialJson(prefix)
        if (partial !== undefined && !isBeginning(partial, whole)) {
          expect.fail(`${prefix} gave ${JSON.stringify(partial)}`)
        }
      }
    }),
    { numRuns: 300 },
  )
})

test('a member is there in full once something follows it', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true }),
      fc.jsonValue(),
      (members, last) => {
        const first = JSON.stringify(Object.entries(members))
        expect(parsePartialJson(`[${first},${JSON.stringify(last)}`)).toStrictEqual(
          JSON.parse(`[${first},${JSON.stringify(last)}]`),
        )
        const text = JSON.stringify(members)
        const open = text === '{}' ? '{' : `${text.slice(0, -1)},`
        expect(parsePartialJson(`${open}"unfinished key`)).toStrictEqual(JSON.parse(text))
      },
    ),
  )
})

test.each([
  ['', undefined],
  ['  ', undefined],
  ['-', undefined],
  ['{', {}],
  ['{"a', {}],
  ['{"a"', {}],
  ['{"a":', {}],
  ['{"a":"', { a: '' }],
  ['{"a":"x\\', { a: 'x' }],
  ['{"a":"x\\\\', { a: 'x\\' }],
  ['{"a":"x\\u00e', { a: 'x' }],
  ['{"a":"x\\\\u00', { a: 'x\\u00' }],
  ['{"a":"x\\u00e9', { a: 'xé' }],
  ['{"a\\"b":1', { 'a"b': 1 }],
  ['{"a":t', { a: true }],
  ['{"a":-', {}],
  ['{"a":1.', { a: 1 }],
  ['{"a":1e+', { a: 1 }],
  ['{"a":1e+2', { a: 100 }],
  ['[1,', [1]],
  ['[[],{"a":[', [[], { a: [] }]],
  ['{"a":{"b":1},"c":"d', { a: { b: 1 }, c: 'd' }],
])('%j has the value %j', (text, value) => {
  expect(parsePartialJson(text)).toEqual(value)
})

test('text that is no JSON has no value or one, but never throws', () => {
  const noise = fc.string({ unit: fc.constantFrom(...'{}[]",:\\ue1-+.tfn \n\u2028x') })
  fc.assert(
    fc.property(fc.oneof(noise, fc.string({ unit: 'binary' })), text => {
      parsePartialJson(text)
    }),
    { numRuns: 2000 },
  )
})

test('long runs of backslashes, digits and brackets are read in one pass', () => {
  const long = 100_000
  expect(parsePartialJson(`"${'\\\\'.repeat(long)}`)).toBe('\\'.repeat(long))
  expect(parsePartialJson(`"${'\\\\'.repeat(long)}\\`)).toBe('\\'.repeat(long))
  expect(parsePartialJson(`"${'\\u00e9'.repeat(long)}\\u00`)).toBe('é'.repeat(long))
  expect(parsePartialJson(`[1${'0'.repeat(300)}`)).toEqual([Number(`1${'0'.repeat(300)}`)])
  expect(parsePartialJson('['.repeat(256))).toEqual(JSON.parse('['.repeat(256) + ']'.repeat(256)))
  expect(parsePartialJson('['.repeat(long))).toBeUndefined()
})

function prefixesOf(text: string): string[] {
  return Array.from({ length: text.length + 1 }, (_, length) => text.slice(0, length))
}

// In a partial value, strings and lists may be shorter, objects may lack members, and numbers may lack digits.
function isBeginning(partial: unknown, whole: unknown): boolean {
  if (typeof partial === 'number' && typeof whole === 'number') return true
  if (typeof partial === 'string' && typeof whole === 'string') return whole.startsWith(partial)
  if (typeof partial !== 'object' || typeof whole !== 'object') return partial === whole
  if (partial === null || whole === null) return partial === whole
  const members = Object.entries(partial)
  const wholeMembers = Object.entries(whole)
  return (
    Array.isArray(partial) === Array.isArray(whole) &&
    members.length <= wholeMembers.length &&
    members.every(
      ([key, value]) => Object.hasOwn(whole, key) && isBeginning(value, memberOf(wholeMembers, key)),
    )
  )
}

function memberOf(members: readonly (readonly [string, unknown])[], key: string): unknown {
  return members.find(([name]) => name === key)?.[1]
}
