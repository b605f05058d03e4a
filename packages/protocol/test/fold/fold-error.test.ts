import { entriesOf, entryOf, foldChunks, userMessage } from '@throughline/testing/log/entries-of'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Chunk } from '../../src/entries/chunk.ts'
import { type ChatState, emptyChat, messagesOf } from '../../src/fold/chat-state.ts'
import { fold } from '../../src/fold/fold.ts'
import { FoldError } from '../../src/fold/fold-error.ts'
import { chunkStream } from '../chunk-arbitrary.ts'

const messageId = 'answer'
const started = foldChunks(emptyChat(), [{ type: 'start' }], messageId)

test('an entry folded before changes nothing, wherever it comes again', () => {
  fc.assert(
    fc.property(chunkStream({ messageId }), fc.array(fc.nat()), (chunks, repeats) => {
      const entries = entriesOf(chunks, { messageId })
      const chat = entries.reduce(fold, emptyChat())
      for (const repeat of repeats) {
        const entry = entries[repeat % entries.length]
        if (entry !== undefined) expect(fold(chat, entry)).toBe(chat)
      }
      const doubled = entries.flatMap(entry => [entry, entry]).reduce(fold, emptyChat())
      expect(messagesOf(doubled)).toEqual(messagesOf(chat))
    }),
  )
})

test('a skipped entry is a gap, and the error says from where to read again', () => {
  const error = errorOf(() => fold(started, entryOf({ type: 'finish' }, { messageId, seq: 3 })))
  expect(error.code).toBe('gap')
  expect(error.message).toBe('Entries after 1 are missing. Read the log again.')
})

test('every chunk that leaves something behind, but a start or a whole message, needs a message that has started', () => {
  fc.assert(
    fc.property(chunkStream({ messageId }), ([, ...chunks]) => {
      for (const chunk of chunks.filter(each => !('transient' in each && each.transient))) {
        const error = errorOf(() => foldChunks(emptyChat(), [chunk], 'nobody'))
        expect(error.code).toBe('unknown-message')
        expect(error.message).toContain('message nobody')
        expect(error.message).toContain('Send "start" first')
      }
    }),
  )
})

test.each<Chunk>([
  { type: 'text-delta', id: 'lost', delta: 'x' },
  { type: 'text-end', id: 'lost' },
  { type: 'reasoning-delta', id: 'lost', delta: 'x' },
  { type: 'reasoning-end', id: 'lost' },
])('a $type for a part that never started says what to send first', chunk => {
  const error = errorOf(() => foldChunks(started, [chunk], messageId))
  expect(error.code).toBe('unknown-part')
  expect(error.message).toMatch(
    /"lost" of message answer, which is not open. Send "(text|reasoning)-start" first/,
  )
})

test('a part that has ended takes no more, and an open one of another kind or id does not stand in', () => {
  const both: Chunk[] = [
    { type: 'text-start', id: 'ended' },
    { type: 'text-end', id: 'ended' },
    { type: 'text-start', id: '' },
    { type: 'reasoning-start', id: 'other' },
  ]
  const chat = foldChunks(started, both, messageId)
  const refused: Chunk[] = [
    { type: 'text-delta', id: 'ended', delta: 'x' },
    { type: 'text-end', id: 'ended' },
    { type: 'text-delta', id: 'other', delta: 'x' },
    { type: 'text-delta', id: 'never', delta: 'x' },
    { type: 'reasoning-delta', id: '', delta: 'x' },
  ]
  for (const chunk of refused) {
    expect(errorOf(() => foldChunks(chat, [chunk], messageId)).code).toBe('unknown-part')
  }
})

test.each<Chunk>([
  { type: 'tool-input-delta', toolCallId: 'lost', inputTextDelta: '{' },
  { type: 'tool-output-available', toolCallId: 'lost', output: 1 },
  { type: 'tool-output-error', toolCallId: 'lost', errorText: 'no' },
  { type: 'tool-output-denied', toolCallId: 'lost' },
  { type: 'tool-approval-request', toolCallId: 'lost', approvalId: 'a' },
  { type: 'tool-approval-response', approvalId: 'lost', approved: true },
])('a $type for a call that never came says what to send first', chunk => {
  const error = errorOf(() => foldChunks(started, [chunk], messageId))
  expect(error.code).toBe('unknown-part')
  expect(error.message).toMatch(/"lost".*Send "tool-input-available" first/)
})

test('a call that a reset took away is unknown again', () => {
  const call: Chunk = { type: 'tool-input-available', toolCallId: 'c', toolName: 'search', input: {} }
  const chat = foldChunks(started, [{ type: 'start-step' }, call, { type: 'reset-step' }], messageId)
  const output: Chunk = { type: 'tool-output-available', toolCallId: 'c', output: 1 }
  expect(errorOf(() => foldChunks(chat, [output], messageId)).code).toBe('unknown-part')
})

test('a whole message must have the id of its entry', () => {
  const error = errorOf(() => foldChunks(started, [userMessage('other', 'hi')], 'u'))
  expect(error.code).toBe('unknown-message')
  expect(error.message).toContain('"other"')
})

test('a chunk that does not fold leaves the chat as it was and usable', () => {
  const before = JSON.stringify(messagesOf(started))
  errorOf(() => foldChunks(started, [{ type: 'text-end', id: 'lost' }], messageId))
  expect(JSON.stringify(messagesOf(started))).toBe(before)
  const chat: ChatState = foldChunks(started, [{ type: 'text-start', id: 'lost' }], messageId)
  expect(messagesOf(chat)[0]?.parts).toHaveLength(1)
})

function errorOf(act: () => unknown): FoldError {
  try {
    act()
  } catch (error) {
    if (error instanceof FoldError) return error
    throw error
  }
  throw new Error('This was expected not to fold.')
}
