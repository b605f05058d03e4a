import fc from 'fast-check'
import { expect, test } from 'vitest'
import { mergeMetadata } from '../../src/fold/merge-metadata.ts'
import { type MessageMetadata, messageMetadataSchema } from '../../src/message/metadata.ts'

const keys = fc.constantFrom('a', 'b', 'usage', 'toString', 'hasOwnProperty')
const json = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(null, true, 0, 1, '', 'x'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(keys, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value
const metadata: fc.Arbitrary<MessageMetadata> = fc.dictionary(fc.constantFrom('x', 'y', 'z'), json, {
  noNullPrototype: true,
})

test('what is merged in is there afterwards, and what it does not name stays', () => {
  fc.assert(
    fc.property(metadata, metadata, (existing, added) => {
      const merged = mergeMetadata(existing, added)
      expect(merged).toMatchObject(added)
      for (const key of ['x', 'y', 'z'])
        if (!Object.hasOwn(added, key)) expect(merged?.[key]).toBe(existing[key])
    }),
  )
})

test('merging what is already there answers the same object', () => {
  fc.assert(
    fc.property(metadata, metadata, (existing, added) => {
      const once = mergeMetadata(existing, added)
      const copy: MessageMetadata = JSON.parse(JSON.stringify(added))
      expect(mergeMetadata(once, copy)).toBe(once)
      expect(mergeMetadata(existing, {})).toBe(existing)
      expect(mergeMetadata(existing, undefined)).toBe(existing)
      expect(mergeMetadata(undefined, added)).toBe(added)
    }),
  )
  expect(mergeMetadata(undefined, undefined)).toBeUndefined()
})

test('neither side is changed by a merge', () => {
  fc.assert(
    fc.property(metadata, metadata, (existing, added) => {
      const before = JSON.stringify([existing, added])
      mergeMetadata(existing, added)
      expect(JSON.stringify([existing, added])).toBe(before)
    }),
  )
})

test('objects merge deeply, arrays are replaced, and untouched branches keep their identity', () => {
  const existing = { extra: { a: { b: 1, c: 2 }, list: [1, 2] }, agent: { name: 'x' }, path: ['a'] }
  const merged = mergeMetadata(messageOf(existing), { extra: { a: { c: 3 }, list: [3] } })
  expect(merged).toEqual({ ...existing, extra: { a: { b: 1, c: 3 }, list: [3] } })
  expect(merged?.['path']).toBe(existing.path)
  expect(merged?.agent).toBe(existing.agent)
})

test('the first createdAt stays, a later one is taken only when there was none', () => {
  const first = '2026-01-01T00:00:00Z'
  const second = '2026-01-02T00:00:00Z'
  const existing = { createdAt: first, senderName: 'Ada' }
  expect(mergeMetadata(existing, { createdAt: second })).toBe(existing)
  expect(mergeMetadata(existing, { createdAt: second, status: 'finished' })).toEqual({
    ...existing,
    status: 'finished',
  })
  expect(mergeMetadata({ senderName: 'Ada' }, { createdAt: second })).toEqual({
    senderName: 'Ada',
    createdAt: second,
  })
})

test('undefined says nothing, null says null', () => {
  const existing = { statusText: 'on' }
  expect(mergeMetadata(existing, { statusText: undefined })).toBe(existing)
  expect(mergeMetadata(existing, { extra: null })).toEqual({ statusText: 'on', extra: null })
})

test('no key reaches a prototype, at any depth', () => {
  const evil =
    '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"prototype":{"polluted":1}}'
  const added: MessageMetadata = JSON.parse(`{"extra":${evil},"usage":${evil},${evil.slice(1)}`)
  const existing: MessageMetadata = { extra: { a: 1 } }
  const twice = mergeMetadata(mergeMetadata(existing, added), added)
  expect(twice?.['extra']).toEqual({ a: 1 })
  expect(Object.getPrototypeOf(twice)).toBe(Object.prototype)
  expect(Object.keys(twice ?? {})).toEqual(['extra', 'usage'])
  expect(Reflect.get({}, 'polluted')).toBeUndefined()
  expect(Reflect.get(Object, 'polluted')).toBeUndefined()
})

test("an application's own fields pass the schema, and ours are checked", () => {
  expect(messageMetadataSchema.parse({ mine: 1, status: 'streaming' })).toEqual({
    mine: 1,
    status: 'streaming',
  })
  expect(messageMetadataSchema.safeParse({ status: 'gone' }).success).toBe(false)
  expect(messageMetadataSchema.safeParse({ createdAt: 'yesterday' }).success).toBe(false)
})

function messageOf(value: Readonly<Record<string, unknown>>): MessageMetadata {
  const loose: MessageMetadata = {}
  return Object.assign(loose, value)
}
