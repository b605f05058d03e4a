import { expect, test } from 'vitest'
import { type Chunk, chunkProblem, type Rearrangement } from '../../src/entries/chunk.ts'
import { type ChatState, chatFrom, messagesOf } from '../../src/fold/chat-state.ts'
import { fold } from '../../src/fold/fold.ts'
import { isMessageId, isRunId, type MessageId } from '../../src/message/ids.ts'
import type { Message } from '../../src/message/message.ts'

const messages: readonly Message[] = ['a', 'b', 'c', 'd'].map(id => ({
  id,
  role: 'user',
  parts: [{ type: 'text', text: id }],
}))

test.each([
  ['is deleted', { messageIds: ['b'] }, ['a', 'c', 'd']],
  ['and another are deleted', { messageIds: ['b', 'd'] }, ['a', 'c']],
  ['moves behind another', { messageIds: ['a'], after: 'c' }, ['b', 'c', 'a', 'd']],
  ['and another move, in their order', { messageIds: ['d', 'a'], after: 'b' }, ['b', 'a', 'd', 'c']],
  ['moves to the beginning', { messageIds: ['c'], after: '' }, ['c', 'a', 'b', 'd']],
  [
    'moves to the beginning when its place is unknown',
    { messageIds: ['c'], after: 'x' },
    ['c', 'a', 'b', 'd'],
  ],
  ['that is unknown changes nothing', { messageIds: ['x'] }, ['a', 'b', 'c', 'd']],
])('a message %s, and all messages keep their identity', (_, data, expected) => {
  const before = chatFrom(messages, 0)
  const after = messagesOf(rearranged(before, data))
  expect(after.map(({ id }) => id)).toEqual(expected)
  const known = new Map(messagesOf(before).map(message => [message.id, message]))
  for (const message of after) expect(message).toBe(known.get(message.id))
})

test('what comes after a change finds its message, wherever that stands now', () => {
  const chat = rearranged(rearranged(chatFrom(messages, 0), { messageIds: ['a'], after: 'd' }), {
    messageIds: ['b'],
  })
  const noted = next(chat, 'd', { type: 'message-metadata', messageMetadata: { senderName: 'Ada' } })
  expect(messagesOf(noted).map(({ id, metadata }) => [id, metadata?.senderName])).toEqual([
    ['c', undefined],
    ['d', 'Ada'],
    ['a', undefined],
  ])
  expect(() => next(noted, 'b', { type: 'text-start', id: 't' })).toThrow('message b, which is not open')
})

test('a change that does not name its messages is no chunk', () => {
  const chunk = (data: unknown) => ({ type: 'data-rearrange', transient: true, data })
  expect(chunkProblem(chunk({ messageIds: ['a'] }))).toBeUndefined()
  for (const data of [undefined, null, {}, { messageIds: 'a' }])
    expect(chunkProblem(chunk(data))).toBe('a data-rearrange chunk needs a valid "data"')
})

function rearranged(chat: ChatState, data: Rearrangement): ChatState {
  return next(chat, data.messageIds[0] ?? '', { type: 'data-rearrange', transient: true, data })
}

function next(chat: ChatState, messageId: string, chunk: Chunk): ChatState {
  const runId = 'run'
  if (!isRunId(runId) || !isMessageId(messageId)) throw new TypeError(`"${messageId}" is no id.`)
  const id: MessageId = messageId
  return fold(chat, { seq: chat.seq + 1, runId, messageId: id, chunk })
}
