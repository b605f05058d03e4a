import { entriesOf } from '@throughline/testing/log/entries-of'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Chunk } from '../../src/entries/chunk.ts'
import { isEndChunk, parseEntry } from '../../src/entries/entry.ts'
import { chatFrom } from '../../src/fold/chat-state.ts'
import { fold } from '../../src/fold/fold.ts'
import { chunkStream } from '../chunk-arbitrary.ts'

const messageId = 'answer'
const valid = { seq: 1, at: 0, runId: 'run', messageId, chunk: { type: 'finish' } }

test('an entry from the wire is the entry that was sent', () => {
  fc.assert(
    fc.property(chunkStream({ messageId }), chunks => {
      for (const entry of entriesOf(chunks, { messageId })) {
        expect(parseEntry(JSON.stringify(entry))).toEqual({ type: 'entry', entry })
      }
    }),
  )
})

test('an entry of a later version, with a chunk not known here, still has its place in the order', () => {
  const hologram = { type: 'hologram', depth: 3 }
  const passed = { type: 'data-unknown', data: hologram, transient: true }
  const parsed = parseEntry(JSON.stringify({ ...valid, seq: 7, chunk: hologram }))
  expect(parsed).toEqual({ type: 'entry', entry: { ...valid, seq: 7, chunk: passed } })
  if (parsed.type === 'entry') expect(fold(chatFrom([], 6), parsed.entry).seq).toBe(7)
})

test('fields that an entry does not have are left out', () => {
  const parsed = parseEntry(JSON.stringify({ ...valid, extra: 1 }))
  expect(parsed).toEqual({ type: 'entry', entry: valid })
})

const needs = 'an entry needs valid ids and numbers'

test.each([
  ['not JSON', 'an entry must be a JSON object'],
  ['[]', 'an entry must be a JSON object'],
  ['null', 'an entry must be a JSON object'],
  [JSON.stringify({ ...valid, seq: 0 }), needs],
  [JSON.stringify({ ...valid, seq: 1.5 }), needs],
  [JSON.stringify({ ...valid, seq: '1' }), needs],
  [JSON.stringify({ ...valid, seq: 2 ** 53 }), needs],
  [JSON.stringify({ ...valid, at: undefined }), needs],
  [JSON.stringify({ ...valid, at: -1 }), needs],
  [JSON.stringify({ ...valid, runId: '' }), needs],
  [JSON.stringify({ ...valid, messageId: 'a/b' }), needs],
  [JSON.stringify({ ...valid, chunk: undefined }), 'a chunk must be a JSON object with a "type"'],
  [JSON.stringify({ ...valid, chunk: { type: 'error' } }), 'a error chunk needs a valid "errorText"'],
])('%s is invalid: %s', (json, problem) => {
  expect(parseEntry(json)).toEqual({ type: 'invalid', problem })
})

test('no text makes the reader of entries throw', () => {
  const fields = fc.record(
    { seq: fc.jsonValue(), runId: fc.jsonValue(), messageId: fc.jsonValue(), chunk: fc.jsonValue() },
    { requiredKeys: [] },
  )
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.json(),
    fields.map(value => JSON.stringify(value)),
  )
  fc.assert(
    fc.property(texts, text => {
      expect(parseEntry(text).type).toBe('invalid')
    }),
    { numRuns: 1000 },
  )
})

test('only finish, abort and error end a message', () => {
  const ends: Chunk[] = [{ type: 'finish' }, { type: 'abort' }, { type: 'error', errorText: '' }]
  expect(ends.every(isEndChunk)).toBe(true)
  const others: Chunk[] = [{ type: 'finish-step' }, { type: 'text-end', id: 'a' }, { type: 'start' }]
  expect(others.some(isEndChunk)).toBe(false)
})
