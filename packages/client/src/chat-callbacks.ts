import { type ChatState, findMessage, messageOf } from '@throughline/protocol/chat-state'
import { type Entry, isEndChunk } from '@throughline/protocol/entry'
import type { DataPart, Message } from '@throughline/protocol/message'
import { callBack } from './call-back.ts'

/** What a chat tells of as it comes. What was there when the chat was loaded is not told of. */
export interface ChatCallbacks {
  /** What an agent tells the page while it works, such as an address to offer. Not kept, not told again. */
  readonly onUiEvent?: ((data: unknown) => void) | undefined
  /** Every `data-*` part, UI events and what is never shown too, and the id of its message. */
  readonly onData?: ((part: DataPart, messageId: string) => void) | undefined
  /** An answer has ended. How, its `metadata.status` says. Sub-agents' messages are not answers to the person. */
  readonly onFinish?: ((finished: { readonly message: Message }) => void) | undefined
}

/** Tells of one entry, which is in the chat already. */
export function tellOfEntry(
  { onUiEvent, onData, onFinish }: ChatCallbacks,
  { chunk, messageId }: Entry,
  chat: ChatState,
): void {
  if ('data' in chunk) {
    callBack(onData, chunk, messageId)
    if (chunk.type === 'data-ui-event') callBack(onUiEvent, chunk.data)
  }
  const record = isEndChunk(chunk) && findMessage(chat, messageId)
  if (record && !record.metadata?.parent) callBack(onFinish, { message: messageOf(record) })
}
