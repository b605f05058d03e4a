import { userMessage } from '@throughline/testing/log/entries-of'
import { asSchema, uiMessageChunkSchema } from 'ai'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { chunkProblem, isChunk, isUnknownChunk } from '../../src/entries/chunk.ts'
import { isRecord } from '../../src/values/fields.ts'
import { chunkStream } from '../chunk-arbitrary.ts'

const streams = chunkStream({ messageId: 'answer' })
const anyChunk = streams.chain(chunks => fc.constantFrom(...chunks))
const { validate } = asSchema(uiMessageChunkSchema)

test('every chunk of a valid stream is a chunk, to us and to the AI SDK', async () => {
  await fc.assert(
    fc.asyncProperty(streams, async chunks => {
      for (const chunk of chunks) {
        expect(chunkProblem(chunk)).toBeUndefined()
        expect(isUnknownChunk(chunk)).toBe(false)
        expect(await isStock(chunk)).toBe(true)
      }
    }),
  )
})

test('a changed chunk that the AI SDK still takes is still a chunk', async () => {
  const name = fc.constantFrom(
    'id',
    'delta',
    'toolCallId',
    'toolName',
    'input',
    'output',
    'errorText',
    'extra',
  )
  const field = fc.oneof(name, fc.constantFrom('url', 'data', 'parts', 'finishReason', 'providerMetadata'))
  const value = fc.oneof(fc.constant(undefined), fc.jsonValue({ maxDepth: 1 }))
  await fc.assert(
    fc.asyncProperty(anyChunk, field, value, async (chunk, changed, to) => {
      const other = JSON.parse(JSON.stringify({ ...chunk, [changed]: to }))
      if (await isStock(other)) expect(chunkProblem(other)).toBeUndefined()
      expect(isChunk(other)).toBe(chunkProblem(other) === undefined)
    }),
    { numRuns: 300 },
  )
})

test('a chunk without a field it needs is refused, and the field is named', () => {
  expect(chunkProblem({ type: 'text-delta', id: 'a' })).toBe('a text-delta chunk needs a valid "delta"')
  expect(chunkProblem({ type: 'tool-approval-response', approvalId: 'a', approved: 'yes' })).toContain(
    '"approved"',
  )
  expect(chunkProblem({ type: 'start', messageMetadata: [] })).toContain('"messageMetadata"')
  expect(chunkProblem({ type: 'steering-message', id: 'a', parts: {} })).toContain('"parts"')
  expect(chunkProblem({ type: 'data-note', id: 1 })).toContain('"id"')
})

test('whatever is no chunk is refused in words and never throws', () => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.anything()), value => {
      const isTyped = isRecord(value) && typeof value['type'] === 'string'
      expect(typeof chunkProblem(value)).toBe(isTyped && isChunk(value) ? 'undefined' : 'string')
    }),
    { numRuns: 500 },
  )
  expect(chunkProblem([])).toBe('a chunk must be a JSON object with a "type"')
  expect(chunkProblem({ type: 1 })).toBe('a chunk must be a JSON object with a "type"')
})

test('an unknown type is told apart from a broken chunk', () => {
  const names = fc.oneof(
    fc.string(),
    fc.constantFrom('__proto__', 'constructor', 'toString', 'text', 'data', ''),
  )
  fc.assert(
    fc.property(names, fc.dictionary(fc.string(), fc.jsonValue()), (type, fields) => {
      const chunk = { ...fields, type: `x-${type}` }
      expect(isUnknownChunk(chunk)).toBe(true)
      expect(chunkProblem(chunk)).toContain('unknown chunk type "x-')
    }),
  )
  for (const type of ['constructor', '__proto__', 'toString', 'data', '']) {
    expect(isUnknownChunk({ type })).toBe(true)
  }
  for (const broken of [
    { type: 'text-delta' },
    { type: 'data-note', id: 1 },
    { type: 1 },
    {},
    null,
    'x',
    [],
  ]) {
    expect(isUnknownChunk(broken)).toBe(false)
    expect(isChunk(broken)).toBe(false)
  }
  expect(chunkProblem({ type: 'x'.repeat(1000) })).toHaveLength('unknown chunk type ""'.length + 64)
})

test('a whole message in a chunk must be a message', () => {
  expect(chunkProblem(userMessage('u', 'hi'))).toBeUndefined()
  const message = { id: 'u', role: 'user', parts: [] }
  const broken = [
    undefined,
    null,
    'hi',
    { ...message, id: 1 },
    { ...message, role: 'tool' },
    { ...message, parts: {} },
    { ...message, parts: [null] },
    { ...message, parts: [{}] },
    { ...message, metadata: 'x' },
  ]
  for (const data of broken) {
    expect(chunkProblem({ type: 'data-message', id: 'u', transient: true, data })).toBe(
      'a data-message chunk needs a valid "data"',
    )
  }
})

async function isStock(value: unknown): Promise<boolean> {
  return (await validate?.(value))?.success === true
}
