// The entry point `@throughline/client`: a chat that a page follows, without a framework.

/** @public */
export {
  type AwaitedOutput,
  awaitedOutputs,
  type ChatListEvent,
  type DataPart,
  type FilePart,
  formatCost,
  isDataPart,
  isFilePart,
  isToolPart,
  isUnreadable,
  type ListedChat,
  type Message,
  type MessageMetadata,
  type Part,
  type ReasoningPart,
  type ToolPart,
  textOf,
  toolInput,
  toolNameOf,
} from '@throughline/protocol'
/** @public */
export type { ChatActions } from './chat/chat-actions.ts'
/** @public */
export { createChatApi, type ToolOutput } from './chat/chat-api.ts'
/** @public */
export type { ChatOptions, MetadataUpdate, SendMessageOptions } from './chat/chat-options.ts'
/** @public */
export {
  type ChatSnapshot,
  isAgentMessage,
  type NameSources,
  senderNameOf,
} from './chat/chat-snapshot.ts'
/** @public */
export { type Chat, createChat } from './chat/create-chat.ts'
/** @public */
export type { KeptMessage, Outbox } from './chat/outbox.ts'
/** @public */
export { receive } from './chat/receive.ts'
/** @public */
export { type ReceiveChatsOptions, receiveChats } from './chats/receive-chats.ts'
/** @public */
export { asChatError, ChatError, errorFrom } from './http/chat-error.ts'
