import { entriesOf, foldChunks } from '@throughline/testing/log/entries-of'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Chunk } from '../../src/entries/chunk.ts'
import { chatFrom, emptyChat, findMessage, messagesOf } from '../../src/fold/chat-state.ts'
import { fold } from '../../src/fold/fold.ts'
import type { Message } from '../../src/message/message.ts'
import { chunkStream } from '../chunk-arbitrary.ts'

const messageId = 'answer'

test('a chat loaded in mid-answer goes on as if it had been there from the start, wherever it was cut', () => {
  fc.assert(
    fc.property(chunkStream({ messageId, isRestorable: true }), chunks => {
      const entries = entriesOf(chunks, { messageId })
      const whole = JSON.stringify(messagesOf(entries.reduce(fold, emptyChat())))
      for (let cut = 0; cut <= entries.length; cut += 1) {
        const saved = messagesOf(entries.slice(0, cut).reduce(fold, emptyChat()))
        const loaded = chatFrom(loadedFrom(saved), cut)
        const resumed = messagesOf(entries.slice(cut).reduce(fold, loaded))
        expect(JSON.parse(JSON.stringify(resumed))).toEqual(JSON.parse(whole))
      }
    }),
  )
})

test('a chat loaded between messages keeps their order and takes up where the log goes on', () => {
  const saved: Message[] = ['a', 'b', 'c'].map(id => ({ id, role: 'user', parts: [] }))
  const chat = chatFrom(loadedFrom(saved), 41)
  expect(messagesOf(chat)).toEqual(saved)
  expect(chat.seq).toBe(41)
  expect(messagesOf(foldChunks(chat, [{ type: 'start' }], messageId)).map(({ id }) => id)).toEqual([
    'a',
    'b',
    'c',
    messageId,
  ])
})

test('a saved open text part, which has lost its id, is taken up by the next delta', () => {
  const saved: Message[] = [
    {
      id: messageId,
      role: 'assistant',
      parts: [
        { type: 'text', text: 'Before.', state: 'done' },
        { type: 'text', text: 'Half', state: 'streaming' },
      ],
    },
  ]
  const rest: Chunk[] = [
    { type: 'text-delta', id: 'any', delta: ' and half' },
    { type: 'text-end', id: 'any' },
    { type: 'text-start', id: 'next' },
  ]
  const [message] = messagesOf(foldChunks(chatFrom(saved, 5), rest, messageId))
  expect(message?.parts).toEqual([
    { type: 'text', text: 'Before.', state: 'done' },
    { type: 'text', text: 'Half and half', state: 'done' },
    { type: 'text', text: '', state: 'streaming' },
  ])
})

test('a saved open text part is taken up also when finished text stands after it', () => {
  const saved: Message[] = [
    {
      id: messageId,
      role: 'assistant',
      parts: [
        { type: 'text', text: 'Open', state: 'streaming' },
        { type: 'text', text: 'Done.', state: 'done' },
      ],
    },
  ]
  const delta: Chunk = { type: 'text-delta', id: 'any', delta: ' still' }
  const [message] = messagesOf(foldChunks(chatFrom(saved, 5), [delta], messageId))
  expect(message?.parts).toMatchObject([{ text: 'Open still' }, { text: 'Done.' }])
})

test('a chat folded in a row keeps one map of indexes, so no delta costs the length of the chat', () => {
  const text: Chunk = { type: 'text-start', id: 't' }
  const before = foldChunks(chatFrom([], 0), [{ type: 'start' }, text], messageId)
  const after = foldChunks(before, [{ type: 'text-delta', id: 't', delta: 'x' }, text], messageId)
  expect(after.messages.highestIndexes).toBe(before.messages.highestIndexes)
  expect(findMessage(after, messageId)?.parts.highestIndexes).toBe(
    findMessage(before, messageId)?.parts.highestIndexes,
  )
})

test('a message with an id that no log can have is refused', () => {
  expect(() => chatFrom([{ id: 'a/b', role: 'user', parts: [] }], 1)).toThrow('"a/b" is not a message id.')
})

function loadedFrom(messages: readonly Message[]): Message[] {
  return JSON.parse(JSON.stringify(messages))
}
