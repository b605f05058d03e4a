import { type ChatState, type MessageRecord, placeOf, recordFrom, startedRecord } from './chat-state.ts'
import type { Chunk, MessageChunk } from './chunk.ts'
import type { Entry } from './entry.ts'
import { foldChunk } from './fold-chunk.ts'
import { FoldError } from './fold-error.ts'
import { listGet, listPush, listSet } from './list.ts'

/**
 * Folds one entry into a chat. Pure: what the entry does not touch keeps its identity, and the cost of a
 * delta does not grow with the text, the parts, the history or earlier tool outputs.
 * An entry that was folded before changes nothing; one that skips others is an error.
 */
export function fold(chat: ChatState, entry: Entry): ChatState {
  if (entry.seq <= chat.seq) return chat
  if (entry.seq !== chat.seq + 1) {
    throw new FoldError(
      'gap',
      `Entry ${entry.seq} follows entry ${chat.seq}: entries are missing. Read the log again after ${chat.seq}.`,
    )
  }
  return { ...foldEntry(chat, entry), seq: entry.seq }
}

function foldEntry(chat: ChatState, { seq, runId, messageId, chunk }: Entry): ChatState {
  const place = placeOf(chat.messages, chat.places, { key: messageId, keyOf: record => record.id })
  const record = place === undefined ? undefined : listGet(chat.messages, place)
  if (place === undefined || record === undefined) {
    if (isMessageChunk(chunk)) return append(chat, recordFrom(chunk.data, { seq, runId }))
    if (chunk.type === 'start')
      return append(chat, foldChunk(startedRecord(messageId, { seq, runId }), chunk))
    throw new FoldError(
      'unknown-message',
      `Entry ${seq} is a ${chunk.type} chunk for message ${messageId}, which has not started. Ensure a "start" chunk is sent before any other chunk of a message.`,
    )
  }
  if (isMessageChunk(chunk)) return chat
  const folded = foldChunk(record, chunk)
  return folded === record ? chat : { ...chat, messages: listSet(chat.messages, place, folded) }
}

function append(chat: ChatState, record: MessageRecord): ChatState {
  chat.places.set(record.id, chat.messages.size)
  return { ...chat, messages: listPush(chat.messages, record) }
}

function isMessageChunk(chunk: Chunk | MessageChunk): chunk is MessageChunk {
  return chunk.type === 'data-message'
}
