import { type ChatState, type MessageRecord, recordFrom } from './chat-state.ts'
import type { Chunk, MessageChunk } from './chunk.ts'
import type { NumberedDraft } from './entry.ts'
import { foldChunk } from './fold-chunk.ts'
import { FoldError } from './fold-error.ts'
import { keyedGet, keyedPlace, keyedPush, keyedSet } from './keyed-list.ts'

/**
 * Folds one entry into a chat. Pure: what the entry does not touch keeps its identity, and the cost of a
 * delta does not grow with the text, the parts, the history or earlier tool outputs.
 * An entry that was folded before changes nothing; one that skips others is an error.
 */
export function fold(chat: ChatState, entry: NumberedDraft): ChatState {
  if (entry.seq <= chat.seq) return chat
  if (entry.seq !== chat.seq + 1) {
    throw new FoldError(
      'gap',
      `Entry ${entry.seq} follows entry ${chat.seq}: entries are missing. Read the log again after ${chat.seq}.`,
    )
  }
  return { ...foldEntry(chat, entry), seq: entry.seq }
}

function foldEntry(chat: ChatState, { seq, runId, messageId, chunk }: NumberedDraft): ChatState {
  const place = keyedPlace(chat.messages, messageId)
  const record = place === undefined ? undefined : keyedGet(chat.messages, place)
  if (place === undefined || record === undefined) {
    if (isMessageChunk(chunk)) return append(chat, entered(chunk, { seq, runId, messageId }))
    if (chunk.type === 'start') {
      const started = recordFrom({ id: messageId, role: 'assistant', parts: [] }, { seq, runId })
      return append(chat, foldChunk(started, chunk))
    }
    if ('transient' in chunk && chunk.transient === true) return chat
    throw new FoldError(
      'unknown-message',
      `Entry ${seq} is a ${chunk.type} chunk for message ${messageId}, which has not started. Ensure a "start" chunk is sent before any other chunk of a message.`,
    )
  }
  if (isMessageChunk(chunk)) return chat
  const folded = foldChunk(record, chunk)
  return folded === record ? chat : { ...chat, messages: keyedSet(chat.messages, place, folded) }
}

function entered(chunk: MessageChunk, origin: Omit<NumberedDraft, 'chunk'>): MessageRecord {
  if (chunk.data.id === origin.messageId) return recordFrom(chunk.data, origin)
  throw new FoldError(
    'unknown-message',
    `Entry ${origin.seq} of message ${origin.messageId} brings a message with the id "${chunk.data.id}". Ensure a message enters the chat under its own id.`,
  )
}

function append(chat: ChatState, record: MessageRecord): ChatState {
  return { ...chat, messages: keyedPush(chat.messages, record) }
}

function isMessageChunk(chunk: Chunk | MessageChunk): chunk is MessageChunk {
  return chunk.type === 'data-message'
}
