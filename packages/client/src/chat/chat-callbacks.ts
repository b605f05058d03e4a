import {
  type ChatState,
  type DataPart,
  type Entry,
  findMessage,
  isEndChunk,
  type Message,
  messageOf,
} from '@throughline/protocol'
import { callBack } from '../page/call-back.ts'

/**
 * Functions of the page that are called when something new comes. They are not called for what was already in the chat
 * when it was loaded. An error in one of them is reported on the console, and the chat goes on.
 */
export interface ChatCallbacks {
  /** An agent sends the page something while it works, such as an address to offer. It is not stored with the chat. */
  readonly onUiEvent?: ((data: unknown) => void) | undefined
  /** Called for every `data-*` chunk with the id of its message, including UI events and transient data. */
  readonly onData?: ((part: DataPart, messageId: string) => void) | undefined
  /** An answer to the person has ended; `metadata.status` says how. Not called for messages of sub-agents. */
  readonly onFinish?: ((finished: { readonly message: Message }) => void) | undefined
  /** A message of this page waits in the queue of the server, because the chat is busy. */
  readonly onQueued?: ((queued: { readonly message: Message }) => void) | undefined
}

/** Calls the callbacks for one entry. The entry has been folded into `chat` already. */
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
