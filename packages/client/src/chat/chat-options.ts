import {
  type ChatState,
  type DataPart,
  type Entry,
  type FilePart,
  findMessage,
  isEndChunk,
  type Message,
  messageOf,
  type OnBusy,
} from '@throughline/protocol'
import type { BackoffOptions } from '../http/backoff.ts'
import { callBack } from '../page/callbacks.ts'
import type { ApiOptions } from './chat-api.ts'
import type { Outbox } from './outbox.ts'

/** The options of `createChat` and `useAgentChat`. Only `chatId` is needed. */
export interface ChatOptions extends ApiOptions, ChatCallbacks {
  /** Names the chat. 1 to 128 letters, digits, "_", ".", ":" and "-". */
  readonly chatId: string
  /**
   * Say true when you have just made up the id. Then nothing is loaded until the first message is sent. Default: false.
   */
  readonly isNew?: boolean
  /** The name of the agent that is to answer. Default: the server's first agent. */
  readonly agent?: string | undefined
  /**
   * The name of the model that is to answer: one of the agent's `models` in `GET /api/agents`. Default: the agent's own;
   * for another answer, the model that was chosen for the message.
   */
  readonly model?: string | undefined
  /** The name of the person, shown with their messages. */
  readonly senderName?: string | undefined
  /**
   * Returns what the page knows about the person's situation: `{ workspaceId, pageId, tabs, activeTabId }`, all of them
   * optional. Sent with every message. Agents that people define can belong to a workspace, and to pages.
   */
  readonly context?: (() => unknown) | undefined
  /**
   * Calls back once at the next animation frame; then the snapshot changes. Default: `requestAnimationFrame`, or a
   * timer of 16 ms where nothing is painted.
   */
  readonly onFrame?: (callback: () => void) => void
  /** How long to wait before each retry. */
  readonly backoff?: BackoffOptions | undefined
  /**
   * Keeps messages until the server has them, also while the page is closed. Default: none; a message that cannot be
   * sent after five attempts is in `unsent`, until the page is closed.
   */
  readonly outbox?: Outbox | undefined
}

/** The options of one message. */
export interface SendMessageOptions {
  /** The name of the agent that is to answer. Default: the chat's `agent`. */
  readonly agent?: string | undefined
  /** The name of the model that is to answer. Default: the chat's `model`. */
  readonly model?: string | undefined
  /**
   * Files to send with the message, each with a data URL or the address of a file that the chat has. Default: none; for
   * `edit`, the files that the message has.
   */
  readonly files?: readonly FilePart[] | undefined
  /**
   * What happens while an answer is being written. `reject`: the message cannot be sent. `queue`: it waits for the end of
   * the answer. `interrupt`: the answer is stopped. Default: `reject`.
   */
  readonly onBusy?: OnBusy | undefined
  /** Fields of the application for the metadata of the message. Default: none. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}

/** New metadata for one message. */
export interface MetadataUpdate {
  /** The id of the message. */
  readonly id: string
  /** Fields to add or to replace. The other fields of the message stay as they are. */
  readonly metadata: Readonly<Record<string, unknown>>
}

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
