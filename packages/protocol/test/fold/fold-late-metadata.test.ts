import { foldChunks } from '@throughline/testing/log/entries-of'
import { expect, test } from 'vitest'
import type { Chunk } from '../../src/entries/chunk.ts'
import { chatFrom, messagesOf } from '../../src/fold/chat-state.ts'
import type { MessageMetadata } from '../../src/message/metadata.ts'

const late = (messageMetadata: MessageMetadata): Chunk => ({ type: 'message-metadata', messageMetadata })
const chat = chatFrom(
  [
    { id: 'question', role: 'user', parts: [] },
    { id: 'answer', role: 'assistant', parts: [], metadata: { originalMessageId: 'proposed' } },
    { id: 'another', role: 'assistant', parts: [] },
  ],
  0,
)

test('late metadata finds its message by the id that the message had at first, and touches no other', () => {
  const after = foldChunks(chat, [late({ senderName: '司仪' })], 'proposed')
  const [question, answer, another] = messagesOf(after)
  expect(answer).toMatchObject({
    id: 'answer',
    metadata: { senderName: '司仪', originalMessageId: 'proposed' },
  })
  expect([question, another]).toEqual([messagesOf(chat)[0], messagesOf(chat)[2]])
  expect(question).toBe(messagesOf(chat)[0])
  expect(another).toBe(messagesOf(chat)[2])
})

test('a message that has the id itself comes first', () => {
  const edited = foldChunks(chat, [{ type: 'start' }, late({ senderName: 'Ada' })], 'proposed')
  expect(messagesOf(edited).map(({ metadata }) => metadata?.senderName)).toEqual([
    undefined,
    undefined,
    undefined,
    'Ada',
  ])
})

test('the same metadata once more changes nothing, not even an identity', () => {
  const once = foldChunks(chat, [late({ senderName: '司仪' })], 'proposed')
  const twice = foldChunks(once, [late({ senderName: '司仪' })], 'proposed')
  expect(messagesOf(twice)).toBe(messagesOf(once))
})

test('a message that comes once more under its id and role is the first one still', () => {
  const message = (senderName: string): Chunk => ({
    type: 'data-message',
    id: 'question',
    transient: true,
    data: { id: 'question', role: 'user', parts: [], metadata: { senderName } },
  })
  const empty = chatFrom([], 0)
  const once = foldChunks(empty, [message('Ada')], 'question')
  expect(messagesOf(foldChunks(once, [message('Eve')], 'question'))).toBe(messagesOf(once))
})

test('metadata of a message that nobody knows, and anything else of a renamed one, is an error', () => {
  expect(() => foldChunks(chat, [late({})], 'nobody')).toThrow('message nobody')
  expect(() => foldChunks(chat, [{ type: 'finish' }], 'proposed')).toThrow('message proposed')
})
