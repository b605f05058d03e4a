import { entryOf, foldChunks, userMessage } from '@throughline/testing/log/entries-of'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Chunk } from '../../src/entries/chunk.ts'
import { type ChatState, emptyChat, messagesOf } from '../../src/fold/chat-state.ts'
import { fold } from '../../src/fold/fold.ts'
import { chunksOf, moves } from '../chunk-arbitrary.ts'

const messageId = 'answer'
const start: Chunk = { type: 'start', messageId }

test('two futures of one state both fold right, however their entries alternate', () => {
  const turns = fc.array(fc.boolean(), { maxLength: 120, size: 'max' })
  fc.assert(
    fc.property(moves, moves, moves, turns, (past, one, other, order) => {
      const shared = chunksOf(past, { messageId })
      const futures = [one, other].map(future => chunksOf([...past, ...future], { messageId }))
      const chats = foldInTurns(foldChunks(emptyChat(), shared, messageId), futures, order)
      const alone = futures.map(chunks => foldChunks(emptyChat(), chunks, messageId))
      expect(chats.map(messagesOf)).toEqual(alone.map(messagesOf))
    }),
    { numRuns: 200 },
  )
})

test('an id that one future ends and opens again is still the open one in the other', () => {
  const opened = foldChunks(emptyChat(), [start, { type: 'text-start', id: 't' }], messageId)
  const again = foldChunks(
    opened,
    [
      { type: 'text-end', id: 't' },
      { type: 'text-start', id: 't' },
    ],
    messageId,
  )
  const other = foldChunks(opened, [{ type: 'text-delta', id: 't', delta: 'other' }], messageId)
  const later = foldChunks(again, [{ type: 'text-delta', id: 't', delta: 'again' }], messageId)
  expect(textsOf(other)).toEqual(['other'])
  expect(textsOf(later)).toEqual(['', 'again'])
})

test('a message that one future puts elsewhere is found in the other', () => {
  const append = (chat: ChatState, id: string) => foldChunks(chat, [userMessage(id, id)], id)
  const one = append(append(emptyChat(), 'a'), 'b')
  const other = append(append(emptyChat(), 'b'), 'a')
  const base = emptyChat()
  const ab = append(append(base, 'a'), 'b')
  const ba = append(append(base, 'b'), 'a')
  expect(messagesOf(ab)).toEqual(messagesOf(one))
  expect(messagesOf(ba)).toEqual(messagesOf(other))
  const rename: Chunk = { type: 'message-metadata', messageMetadata: { senderName: 'Ada' } }
  expect(messagesOf(foldChunks(ab, [rename], 'a'))[0]).toMatchObject({
    id: 'a',
    metadata: { senderName: 'Ada' },
  })
  expect(messagesOf(foldChunks(ba, [rename], 'a'))[1]).toMatchObject({
    id: 'a',
    metadata: { senderName: 'Ada' },
  })
})

test('a state stays as it was when others are folded from it, and no entry is changed', () => {
  fc.assert(
    fc.property(moves, played => {
      const chunks = frozen(chunksOf(played, { messageId }))
      const states: ChatState[] = [emptyChat()]
      const shown: string[] = []
      for (const chunk of chunks) {
        const chat = foldChunks(states.at(-1) ?? emptyChat(), [chunk], messageId)
        frozen(messagesOf(chat))
        shown.push(JSON.stringify(messagesOf(chat)))
        states.push(chat)
      }
      expect(states.slice(1).map(chat => JSON.stringify(messagesOf(chat)))).toEqual(shown)
      // The next entry, folded again into any earlier state, gives the same result as the first time.
      const again = chunks.map((chunk, index) => foldChunks(states[index] ?? emptyChat(), [chunk], messageId))
      expect(again.map(chat => JSON.stringify(messagesOf(chat)))).toEqual(shown)
    }),
  )
})

// Both futures begin with the chunks that `chat` has folded already.
function foldInTurns(chat: ChatState, futures: readonly Chunk[][], order: readonly boolean[]): ChatState[] {
  const chats = futures.map(() => chat)
  const step = (which: number) => {
    const current = chats[which] ?? chat
    const chunk = futures[which]?.[current.seq]
    if (chunk === undefined) return false
    chats[which] = fold(current, entryOf(chunk, { messageId, seq: current.seq + 1 }))
    return true
  }
  for (const isFirst of order) step(isFirst ? 0 : 1)
  for (const which of [0, 1]) while (step(which));
  return chats
}

function textsOf(chat: ChatState): string[] {
  return messagesOf(chat).flatMap(({ parts }) =>
    parts.flatMap(part => (part.type === 'text' ? [part.text] : [])),
  )
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const inner of Object.values(value)) frozen(inner)
  }
  return value
}
