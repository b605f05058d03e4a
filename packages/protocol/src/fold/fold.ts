import type { Chunk, MessageChunk, RearrangeChunk } from '../entries/chunk.ts'
import type { NumberedDraft } from '../entries/entry.ts'
import { keyedIndexOf, keyedPut, listGet, listToArray } from '../values/list.ts'
import { type ChatState, type MessageRecord, rearrange, recordFrom } from './chat-state.ts'
import { foldChunk } from './fold-chunk.ts'
import { FoldError, notOpen } from './fold-error.ts'

/**
 * Folds one entry into a chat, and returns the new state. Pure. Objects that the entry does not change keep their
 * identity. The cost of a delta does not grow with the text, the parts, the history or earlier tool outputs.
 *
 * Idempotent: an entry that was folded before changes nothing. Throws a `FoldError` when entries before this one are
 * missing, and when the entry is for a message or a part that is not there.
 */
export function fold(chat: ChatState, entry: NumberedDraft): ChatState {
  const { seq } = entry
  if (seq <= chat.seq) return chat
  if (seq !== chat.seq + 1) {
    throw new FoldError('gap', `Entries after ${chat.seq} are missing. Read the log again.`)
  }
  if (isOwn<RearrangeChunk>(entry.chunk, 'data-rearrange'))
    return { seq, messages: rearrange(chat.messages, entry.chunk.data) }
  const index = indexOfMessage(chat, entry)
  const record = listGet(chat.messages.items, index)
  const folded = foldMessage(record, entry)
  const messages =
    folded === undefined || folded === record ? chat.messages : keyedPut(chat.messages, index, folded)
  return { seq, messages }
}

/**
 * Returns the index of the entry's message; -1 when it is not there. Metadata that comes late may name a message by its
 * first id: the one that the sender gave it.
 */
function indexOfMessage({ messages }: ChatState, { messageId, chunk }: NumberedDraft): number {
  const index = keyedIndexOf(messages, messageId)
  if (index !== -1 || chunk.type !== 'message-metadata') return index
  return listToArray(messages.items).findLastIndex(
    ({ metadata }) => metadata?.originalMessageId === messageId,
  )
}

/** Returns the entry's message after the entry; `undefined` when the entry creates none. */
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
