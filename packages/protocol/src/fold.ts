import { type ChatState, type MessageRecord, recordFrom } from './chat-state.ts'
import type { Chunk, MessageChunk, RearrangeChunk } from './chunk.ts'
import type { NumberedDraft } from './entry.ts'
import { foldChunk } from './fold-chunk.ts'
import { FoldError, notOpen } from './fold-error.ts'
import { keyedIndexOf, keyedPut } from './keyed-list.ts'
import { listGet, listToArray } from './list.ts'
import { rearrange } from './rearrange.ts'

/**
 * Folds one entry into a chat. Pure: what the entry does not touch keeps its identity, and the cost of a
 * delta does not grow with the text, the parts, the history or earlier tool outputs.
 * An entry that was folded before changes nothing; one that skips others is an error.
 */
export function fold(chat: ChatState, entry: NumberedDraft): ChatState {
  const { seq } = entry
  if (seq <= chat.seq) return chat
  if (seq !== chat.seq + 1) {
    throw new FoldError('gap', `Entries after ${chat.seq} are missing. Read the log again.`)
  }
  if (isOwn<RearrangeChunk>(entry.chunk, 'data-rearrange'))
    return { seq, messages: rearrange(chat.messages, entry.chunk.data) }
  const place = placeOf(chat, entry)
  const record = listGet(chat.messages.items, place)
  const folded = foldMessage(record, entry)
  const messages =
    folded === undefined || folded === record ? chat.messages : keyedPut(chat.messages, place, folded)
  return { seq, messages }
}

/**
 * Where the entry's message stands; -1 when it is not there. Metadata that comes late may name a message by the id that
 * it had at first.
 */
function placeOf({ messages }: ChatState, { messageId, chunk }: NumberedDraft): number {
  const place = keyedIndexOf(messages, messageId)
  if (place !== -1 || chunk.type !== 'message-metadata') return place
  return listToArray(messages.items).findLastIndex(
    ({ metadata }) => metadata?.originalMessageId === messageId,
  )
}

/** The message after an entry; nothing when there is none. */
function foldMessage(record: MessageRecord | undefined, entry: NumberedDraft): MessageRecord | undefined {
  const { messageId: id, chunk } = entry
  if (isOwn<MessageChunk>(chunk, 'data-message')) {
    if (record) return record
    if (chunk.data.id === id) return recordFrom(chunk.data, entry)
    throw new FoldError('unknown-message', `Message ${id} brings message "${chunk.data.id}".`)
  }
  if (record) return foldChunk(record, chunk)
  if (chunk.type === 'start') return foldChunk(recordFrom({ id, role: 'assistant', parts: [] }, entry), chunk)
  if ('transient' in chunk && chunk.transient) return undefined
  throw new FoldError('unknown-message', notOpen(chunk.type, `message ${id}`, 'start'))
}

function isOwn<Own extends MessageChunk | RearrangeChunk>(
  chunk: Chunk | Own,
  type: Own['type'],
): chunk is Own {
  return chunk.type === type
}
