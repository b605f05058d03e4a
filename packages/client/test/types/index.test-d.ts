import {
  type AwaitedOutput,
  asChatError,
  awaitedOutputs,
  type Chat,
  type ChatActions,
  ChatError,
  type ChatListEvent,
  type ChatOptions,
  type ChatSnapshot,
  createChat,
  createChatApi,
  type DataPart,
  errorFrom,
  type FilePart,
  formatCost,
  isAgentMessage,
  isDataPart,
  isFilePart,
  isToolPart,
  isUnreadable,
  type KeptMessage,
  type ListedChat,
  type Message,
  type MessageMetadata,
  type MetadataUpdate,
  type NameSources,
  type Outbox,
  type Part,
  type ReasoningPart,
  type ReceiveChatsOptions,
  receive,
  receiveChats,
  type SendMessageOptions,
  senderNameOf,
  type ToolOutput,
  type ToolPart,
  textOf,
  toolInput,
  toolNameOf,
} from '@throughline/client'
import type * as protocol from '@throughline/protocol'
import type { ChatId } from '@throughline/protocol'
import { expectTypeOf } from 'vitest'

expectTypeOf<AwaitedOutput>().toEqualTypeOf<protocol.AwaitedOutput>()
expectTypeOf(awaitedOutputs).toEqualTypeOf<typeof protocol.awaitedOutputs>()
expectTypeOf<ChatListEvent>().toEqualTypeOf<protocol.ChatListEvent>()
expectTypeOf<DataPart>().toEqualTypeOf<protocol.DataPart>()
expectTypeOf<FilePart>().toEqualTypeOf<protocol.FilePart>()
expectTypeOf(formatCost).toEqualTypeOf<typeof protocol.formatCost>()
expectTypeOf(isDataPart).toEqualTypeOf<typeof protocol.isDataPart>()
expectTypeOf(isFilePart).toEqualTypeOf<typeof protocol.isFilePart>()
expectTypeOf(isToolPart).toEqualTypeOf<typeof protocol.isToolPart>()
expectTypeOf(isUnreadable).toEqualTypeOf<typeof protocol.isUnreadable>()
expectTypeOf<ListedChat>().toEqualTypeOf<protocol.ListedChat>()
expectTypeOf<Message>().toEqualTypeOf<protocol.Message>()
expectTypeOf<MessageMetadata>().toEqualTypeOf<protocol.MessageMetadata>()
expectTypeOf<Part>().toEqualTypeOf<protocol.Part>()
expectTypeOf<ReasoningPart>().toEqualTypeOf<protocol.ReasoningPart>()
expectTypeOf<ToolPart>().toEqualTypeOf<protocol.ToolPart>()
expectTypeOf(textOf).toEqualTypeOf<typeof protocol.textOf>()
expectTypeOf(toolInput).toEqualTypeOf<typeof protocol.toolInput>()
expectTypeOf(toolNameOf).toEqualTypeOf<typeof protocol.toolNameOf>()
expectTypeOf<ChatActions>().toEqualTypeOf<
  Pick<
    Chat,
    | 'send'
    | 'edit'
    | 'regenerate'
    | 'showVersion'
    | 'retry'
    | 'discard'
    | 'stop'
    | 'approve'
    | 'addToolOutput'
    | 'resume'
    | 'deleteMessage'
    | 'moveMessage'
    | 'updateMetadata'
  >
>()
expectTypeOf(createChatApi).parameter(0).toEqualTypeOf<ChatId>()
expectTypeOf<keyof NonNullable<Parameters<typeof createChatApi>[1]>>().toEqualTypeOf<
  'fetch' | 'headers' | 'stallMs' | 'url'
>()
expectTypeOf<keyof NonNullable<Awaited<ReturnType<typeof createChatApi>>>>().toEqualTypeOf<
  'answerAgain' | 'change' | 'decide' | 'giveOutput' | 'load' | 'logUrl' | 'request' | 'send' | 'stop'
>()
expectTypeOf<ToolOutput>().toEqualTypeOf<{ readonly output: unknown } | { readonly errorText: string }>()
expectTypeOf<keyof ChatOptions>().toEqualTypeOf<
  | 'agent'
  | 'backoff'
  | 'chatId'
  | 'context'
  | 'fetch'
  | 'headers'
  | 'isNew'
  | 'model'
  | 'onData'
  | 'onFinish'
  | 'onFrame'
  | 'onQueued'
  | 'onUiEvent'
  | 'outbox'
  | 'senderName'
  | 'stallMs'
  | 'url'
>()
expectTypeOf<keyof MetadataUpdate>().toEqualTypeOf<'id' | 'metadata'>()
expectTypeOf<keyof SendMessageOptions>().toEqualTypeOf<'agent' | 'files' | 'metadata' | 'model' | 'onBusy'>()
expectTypeOf<ChatSnapshot['messages']>().toEqualTypeOf<readonly Message[]>()
expectTypeOf<ChatSnapshot['status']>().toEqualTypeOf<'loading' | 'ready' | 'submitted' | 'streaming'>()
expectTypeOf<keyof ChatSnapshot>().toEqualTypeOf<
  'connection' | 'error' | 'messages' | 'queued' | 'status' | 'unsent' | 'versions'
>()
expectTypeOf<keyof Chat>().toEqualTypeOf<
  | 'addToolOutput'
  | 'approve'
  | 'chatId'
  | 'close'
  | 'deleteMessage'
  | 'discard'
  | 'edit'
  | 'getSnapshot'
  | 'messages'
  | 'moveMessage'
  | 'open'
  | 'regenerate'
  | 'resume'
  | 'retry'
  | 'send'
  | 'showVersion'
  | 'status'
  | 'stop'
  | 'subscribe'
  | 'update'
  | 'updateMetadata'
>()
expectTypeOf<Chat['send']>().toEqualTypeOf<(text: string, options?: SendMessageOptions) => Promise<void>>()
expectTypeOf<Chat['stop']>().toEqualTypeOf<() => Promise<void>>()
expectTypeOf(createChat).toEqualTypeOf<(options: ChatOptions) => Chat>()
expectTypeOf<keyof KeptMessage>().toEqualTypeOf<'after' | 'agent' | 'message' | 'model' | 'onBusy'>()
expectTypeOf<keyof Outbox>().toEqualTypeOf<'drop' | 'keep' | 'load'>()
expectTypeOf<keyof NonNullable<Parameters<typeof receive>[0]>>().toEqualTypeOf<
  'after' | 'backoff' | 'request' | 'signal' | 'stallMs' | 'url' | 'waker'
>()
expectTypeOf(receive).returns.toExtend<AsyncGenerator<{ readonly type: string }, void, undefined>>()
expectTypeOf(isAgentMessage).toEqualTypeOf<(options: Message, selectedAgent?: string) => boolean>()
expectTypeOf<keyof NameSources>().toEqualTypeOf<'agents' | 'fallback' | 'selectedAgent'>()
expectTypeOf(senderNameOf).toEqualTypeOf<
  (options: Pick<Message, 'metadata'>, options1: NameSources) => string
>()
expectTypeOf<keyof ReceiveChatsOptions>().toEqualTypeOf<
  'backoff' | 'fetch' | 'headers' | 'signal' | 'stallMs' | 'url'
>()
expectTypeOf(receiveChats).toEqualTypeOf<
  (options: ReceiveChatsOptions) => AsyncGenerator<ChatListEvent, void, undefined>
>()
expectTypeOf(asChatError).toEqualTypeOf<(error: unknown) => ChatError>()
expectTypeOf(ChatError).toBeConstructibleWith('code', 'Why.')
expectTypeOf(ChatError).toBeConstructibleWith('code', 'Why.', 500)
expectTypeOf<ChatError>().toExtend<Error>()
expectTypeOf<ChatError['code']>().toEqualTypeOf<string>()
expectTypeOf<keyof ChatError>().toEqualTypeOf<
  'cause' | 'code' | 'isTemporary' | 'message' | 'name' | 'stack' | 'status'
>()
expectTypeOf(errorFrom).toEqualTypeOf<(response: Response) => Promise<ChatError>>()
