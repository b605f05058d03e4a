import {
  type ChatState,
  type Chunk,
  type Entry,
  fold,
  isMessageId,
  isRunId,
  type Message,
  type MessageChunk,
  type MessageId,
  type RunId,
} from '@throughline/protocol'

// Short ways to write the entries of a log.

/**
 * Returns the chunks of one message as entries. The first one has the number `after + 1`; `after` is 0 by default.
 */
export function entriesOf(chunks: readonly Chunk[], options: { messageId: string; after?: number }): Entry[] {
  const { messageId, after = 0 } = options
  return chunks.map((chunk, index) => entryOf(chunk, { messageId, seq: after + 1 + index }))
}

export function entryOf(chunk: Chunk, { messageId, seq }: { messageId: string; seq: number }): Entry {
  return { seq, at: seq, runId: runIdOf('run'), messageId: messageIdOf(messageId), chunk }
}

/** Folds the chunks of one message into a chat, after all that the chat has already. */
export function foldChunks(chat: ChatState, chunks: readonly Chunk[], messageId: string): ChatState {
  return entriesOf(chunks, { messageId, after: chat.seq }).reduce(fold, chat)
}

export function userMessage(id: string, text: string): MessageChunk {
  const data: Message = { id, role: 'user', parts: [{ type: 'text', text }] }
  return { type: 'data-message', id, transient: true, data }
}

export function messageIdOf(text: string): MessageId {
  if (!isMessageId(text)) throw new TypeError(`"${text}" is not a message id.`)
  return text
}

export function runIdOf(text: string): RunId {
  if (!isRunId(text)) throw new TypeError(`"${text}" is not a run id.`)
  return text
}

export function jsonOf(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value))
}
