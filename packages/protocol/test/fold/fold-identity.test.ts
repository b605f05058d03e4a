import { entryOf, foldChunks, userMessage } from '@throughline/testing/log/entries-of'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Chunk } from '../../src/entries/chunk.ts'
import { chatFrom, emptyChat, findMessage, messageOf, messagesOf } from '../../src/fold/chat-state.ts'
import { fold } from '../../src/fold/fold.ts'
import type { Message } from '../../src/message/message.ts'
import { chunkStream } from '../chunk-arbitrary.ts'

const authors = ['master', 'child-1', 'child-2'] as const

test('interleaved messages fold as each would alone, and a chunk changes only its own message', () => {
  const streams = fc.tuple(...authors.map(messageId => chunkStream({ messageId })))
  const order = fc.array(fc.nat(authors.length), { maxLength: 120, size: 'max' })
  fc.assert(
    fc.property(streams, order, (chunks, turns) => {
      let chat = emptyChat()
      for (const { messageId, chunk } of interleaved(chunks, turns)) {
        const before = messagesOf(chat)
        chat = fold(chat, entryOf(chunk, { messageId, seq: chat.seq + 1 }))
        expectOthersUntouched(before, messagesOf(chat), messageId)
      }
      authors.forEach((messageId, index) => {
        const alone = messagesOf(foldChunks(emptyChat(), chunks[index] ?? [], messageId))
        expect(messagesOf(chat).filter(({ id }) => id === messageId)).toEqual(alone)
      })
    }),
  )
})

test('a chunk changes or adds at most one part; all others keep their identity', () => {
  const messageId = 'answer'
  fc.assert(
    fc.property(chunkStream({ messageId }), chunks => {
      let chat = emptyChat()
      for (const chunk of chunks) {
        const before = messagesOf(chat)[0]?.parts ?? []
        chat = foldChunks(chat, [chunk], messageId)
        const after = messagesOf(chat)[0]?.parts ?? []
        const changed = after.filter((part, index) => part !== before[index])
        expect(changed.length).toBeLessThanOrEqual(chunk.type === 'reset-step' ? 0 : 1)
      }
    }),
  )
})

test('one streaming answer changes nothing of a chat of 1,000 messages', () => {
  const history = Array.from({ length: 1000 }, (_, index): Message => {
    const role = index % 2 === 0 ? 'user' : 'assistant'
    return { id: `m-${index}`, role, parts: [{ type: 'text', text: `${index}`, state: 'done' }] }
  })
  const loaded = chatFrom(history, 7)
  const before = messagesOf(loaded)
  const parts = before.map(message => message.parts)
  const deltas = Array.from({ length: 200 }, (): Chunk => ({ type: 'text-delta', id: 't', delta: 'x' }))
  let chat = foldChunks(loaded, [{ type: 'start' }, { type: 'text-start', id: 't' }], 'answer')
  for (const delta of deltas) {
    chat = foldChunks(chat, [delta], 'answer')
    const after = messagesOf(chat)
    expect(after.length).toBe(1001)
    expect(before.every((message, index) => message === after[index])).toBe(true)
    expect(parts.every((each, index) => each === after[index]?.parts)).toBe(true)
  }
  expect(messagesOf(loaded)).toBe(before)
  expect(messagesOf(chat).at(-1)).toEqual({
    id: 'answer',
    role: 'assistant',
    parts: [{ type: 'text', text: 'x'.repeat(200), state: 'streaming' }],
  })
})

test.each<Chunk>([
  { type: 'finish-step' },
  { type: 'reset-step' },
  { type: 'abort' },
  { type: 'error', errorText: 'gone' },
  { type: 'finish' },
  { type: 'message-metadata', messageMetadata: { senderName: 'Ada' } },
  { type: 'data-note', data: 1, transient: true },
  { type: 'data-sub-agent', id: 'child', data: { type: 'start' }, transient: true },
])('a $type chunk that brings nothing new leaves every object as it was', chunk => {
  const start: Chunk = { type: 'start', messageMetadata: { senderName: 'Ada' } }
  const before = foldChunks(emptyChat(), [start, { type: 'start-step' }], 'answer')
  const after = foldChunks(before, [chunk], 'answer')
  expect(after.seq).toBe(before.seq + 1)
  expect(messagesOf(after)).toBe(messagesOf(before))
  expect(messagesOf(after)[0]).toBe(messagesOf(before)[0])
})

test('a message knows the entry and the run that brought it, and is found by its id', () => {
  const chat = foldChunks(
    foldChunks(emptyChat(), [userMessage('u', 'hi')], 'u'),
    [{ type: 'start' }],
    'answer',
  )
  expect(findMessage(chat, 'u')).toMatchObject({ firstSeq: 1, runId: 'run', role: 'user' })
  expect(findMessage(chat, 'answer')).toMatchObject({ firstSeq: 2, runId: 'run', role: 'assistant' })
  expect(findMessage(chat, 'nobody')).toBeUndefined()
  const record = findMessage(chat, 'u')
  expect(record === undefined ? undefined : messageOf(record)).toBe(messagesOf(chat)[0])
})

test('a user message sent twice stays the first one', () => {
  const once = foldChunks(emptyChat(), [userMessage('u', 'first')], 'u')
  const twice = foldChunks(once, [userMessage('u', 'second')], 'u')
  expect(messagesOf(twice)).toBe(messagesOf(once))
})

test('data parts are told apart by type and id, whatever characters these have', () => {
  const chat = foldChunks(
    emptyChat(),
    [{ type: 'start' }, { type: 'data-a b', id: 'c', data: 1 }, { type: 'data-a', id: 'b c', data: 2 }],
    'answer',
  )
  expect(messagesOf(chat)[0]?.parts).toEqual([
    { type: 'data-a b', id: 'c', data: 1 },
    { type: 'data-a', id: 'b c', data: 2 },
  ])
})

interface Sent {
  readonly messageId: string
  readonly chunk: Chunk
}

function interleaved(streams: readonly Chunk[][], turns: readonly number[]): Sent[] {
  const queues = authors.map((messageId, index): Sent[] =>
    (streams[index] ?? []).map(chunk => ({ messageId, chunk })),
  )
  const taken = turns.flatMap((turn, index): Sent[] => {
    const user = { messageId: `user-${index}`, chunk: userMessage(`user-${index}`, 'hi') }
    return turn === authors.length ? [user] : (queues[turn]?.splice(0, 1) ?? [])
  })
  return [...taken, ...queues.flat()]
}

function expectOthersUntouched(before: readonly Message[], after: readonly Message[], touched: string): void {
  before.forEach((message, index) => {
    if (message.id === touched) expect(after[index]?.id).toBe(touched)
    else expect(after[index]).toBe(message)
  })
}
