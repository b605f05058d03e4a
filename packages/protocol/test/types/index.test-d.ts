import {
  type AgentInfo,
  type AwaitedOutput,
  agentNameRule,
  allPrevious,
  allVersions,
  awaitedOutputs,
  branchLengths,
  branchOf,
  branchUpTo,
  type ChatId,
  type ChatKey,
  type ChatListEvent,
  type ChatState,
  type Chunk,
  type ChunkOf,
  chatFrom,
  chunkProblem,
  closedCallOf,
  continuedChunk,
  createEpoch,
  createId,
  type DataPart,
  type DefinitionVersion,
  type EndStatus,
  type Entry,
  type EntryDraft,
  emptyChat,
  encodeSse,
  encodeSseComment,
  encodeSseRetry,
  type FilePart,
  FoldError,
  findMessage,
  finishStep,
  fold,
  formatCost,
  formatPosition,
  idPattern,
  idRule,
  isAgentName,
  isChatId,
  isChatListEvent,
  isChunk,
  isContinued,
  isDataPart,
  isEndChunk,
  isFilePart,
  isId,
  isMessageId,
  isOwnerId,
  isRecord,
  isRunId,
  isStepCutAt,
  isToolPart,
  isUnknownChunk,
  isUnreadable,
  isWaitingToGoOn,
  type ListedChat,
  lastIn,
  type Message,
  type MessageChunk,
  type MessageId,
  type MessageMetadata,
  type MessageRecord,
  type ModelUsage,
  type messageMetadataSchema,
  messageOf,
  messagesOf,
  type OnBusy,
  type OutputRequest,
  type OutputSource,
  type OwnerId,
  onBusyModes,
  outputFromText,
  outputRequestChunk,
  outputRequestIn,
  outputSources,
  type ParsedQueryEvent,
  type Part,
  type Position,
  type ProblemCode,
  ProblemError,
  parseEntry,
  parsePosition,
  parseQueryEvent,
  picturesIn,
  previousOf,
  type QueryEvent,
  type QueryEventOf,
  type QueryModelUsage,
  type QueryUsage,
  questionText,
  questionToolName,
  type RearrangeChunk,
  type Rearrangement,
  type ReasoningPart,
  type RunId,
  randomHex,
  rootsOf,
  type StepUsage,
  stepUsageOf,
  type ToolError,
  type ToolPart,
  type Tree,
  type TruncatedValue,
  type TruncationLimit,
  textOf,
  tipsOf,
  toolInput,
  toolNameOf,
  treeOf,
  truncatedIn,
  type Usage,
  type usageSchema,
  withoutStepUsage,
} from '@throughline/protocol'
import { expectTypeOf } from 'vitest'
import type { z } from 'zod'

declare const messages: readonly Message[]

expectTypeOf(allPrevious).toBeCallableWith(messages)
expectTypeOf(allPrevious).returns.toEqualTypeOf<ReadonlyMap<string, string>>()
expectTypeOf(allVersions).toBeCallableWith(messages)
expectTypeOf(allVersions).returns.toEqualTypeOf<ReadonlyMap<string, readonly string[]>>()
expectTypeOf(branchLengths).toBeCallableWith(messages)
expectTypeOf(branchLengths).returns.toEqualTypeOf<ReadonlyMap<string, number>>()
expectTypeOf(branchOf<Message>).toEqualTypeOf<
  (messages: readonly Message[], messageId?: string) => readonly Message[]
>()
expectTypeOf(branchUpTo<Message>).toEqualTypeOf<
  (messages: readonly Message[], messageId: string) => readonly Message[]
>()
expectTypeOf(lastIn).toBeCallableWith(messages)
expectTypeOf(lastIn).returns.toEqualTypeOf<string>()
expectTypeOf(previousOf).toBeCallableWith(messages, 'id')
expectTypeOf(previousOf).returns.toEqualTypeOf<string | undefined>()
expectTypeOf(rootsOf).toBeCallableWith(messages)
expectTypeOf(rootsOf).returns.toEqualTypeOf<ReadonlyMap<string, string>>()
expectTypeOf<Tree>().toEqualTypeOf<
  readonly [previous: ReadonlyMap<string, string>, roots: ReadonlyMap<string, string>]
>()
expectTypeOf(tipsOf<Message>).toEqualTypeOf<(messages: readonly Message[]) => readonly Message[]>()
expectTypeOf(treeOf).toBeCallableWith(messages)
expectTypeOf(treeOf).returns.toEqualTypeOf<Tree>()
expectTypeOf<keyof ChatState>().toEqualTypeOf<'messages' | 'seq'>()
expectTypeOf(chatFrom).toEqualTypeOf<(messages: readonly Message[], seq: number) => ChatState>()
expectTypeOf(emptyChat).toEqualTypeOf<() => ChatState>()
expectTypeOf(findMessage).toEqualTypeOf<(options: ChatState, id: string) => MessageRecord | undefined>()
expectTypeOf<keyof MessageRecord>().toEqualTypeOf<
  'firstSeq' | 'id' | 'metadata' | 'parts' | 'role' | 'runId'
>()
expectTypeOf(messageOf).toEqualTypeOf<(key: MessageRecord) => Message>()
expectTypeOf(messagesOf).toEqualTypeOf<(options: ChatState) => readonly Message[]>()
expectTypeOf<Chunk['type']>().toEqualTypeOf<
  | 'abort'
  | 'custom'
  | 'error'
  | 'file'
  | 'finish'
  | 'finish-step'
  | 'message-metadata'
  | 'reasoning-delta'
  | 'reasoning-end'
  | 'reasoning-file'
  | 'reasoning-start'
  | 'reset-step'
  | 'source-document'
  | 'source-url'
  | 'start'
  | 'start-step'
  | 'steering-message'
  | 'text-delta'
  | 'text-end'
  | 'text-start'
  | 'tool-approval-request'
  | 'tool-approval-response'
  | 'tool-input-available'
  | 'tool-input-delta'
  | 'tool-input-error'
  | 'tool-input-start'
  | 'tool-output-available'
  | 'tool-output-denied'
  | 'tool-output-error'
  | `data-${string}`
>()
expectTypeOf<ChunkOf<'text-delta'>['delta']>().toEqualTypeOf<string>()
expectTypeOf(chunkProblem).toEqualTypeOf<(value: unknown) => string | undefined>()
expectTypeOf(isChunk).toEqualTypeOf<(value: unknown) => value is Chunk>()
expectTypeOf(isRecord).toEqualTypeOf<(value: unknown) => value is Readonly<Record<string, unknown>>>()
expectTypeOf(isUnknownChunk).toEqualTypeOf<(value: unknown) => boolean>()
expectTypeOf<keyof MessageChunk>().toEqualTypeOf<'data' | 'id' | 'transient' | 'type'>()
expectTypeOf<keyof RearrangeChunk>().toEqualTypeOf<'data' | 'transient' | 'type'>()
expectTypeOf<keyof Rearrangement>().toEqualTypeOf<'after' | 'messageIds'>()
expectTypeOf(closedCallOf).parameter(0).toEqualTypeOf<ToolPart>()
expectTypeOf<keyof NonNullable<Awaited<ReturnType<typeof closedCallOf>>>>().toEqualTypeOf<'reason' | 'type'>()
expectTypeOf<keyof NonNullable<Parameters<typeof continuedChunk>[0]>>().toEqualTypeOf<
  'at' | 'attempt' | 'isStepCut' | 'isWaiting'
>()
expectTypeOf(continuedChunk).parameter(1).toEqualTypeOf<MessageId | undefined>()
expectTypeOf(continuedChunk).returns.toEqualTypeOf<ChunkOf<`data-${string}`>>()
expectTypeOf(isContinued).toEqualTypeOf<(part: { readonly type: string }) => boolean>()
expectTypeOf(isStepCutAt).toEqualTypeOf<(part: Part) => boolean>()
expectTypeOf(isWaitingToGoOn).toEqualTypeOf<(part: Part) => part is DataPart>()
expectTypeOf<Pick<Entry, 'seq' | 'at' | 'chunk'>>().toEqualTypeOf<{
  readonly seq: number
  readonly at: number
  readonly chunk: Chunk
}>()
expectTypeOf<keyof Entry>().toEqualTypeOf<'at' | 'chunk' | 'messageId' | 'runId' | 'seq'>()
expectTypeOf<keyof EntryDraft>().toEqualTypeOf<'chunk' | 'messageId' | 'runId'>()
expectTypeOf(isEndChunk).toEqualTypeOf<(chunk: Chunk) => boolean>()
expectTypeOf(parseEntry).parameter(0).toEqualTypeOf<string>()
expectTypeOf<keyof NonNullable<Awaited<ReturnType<typeof parseEntry>>>>().toEqualTypeOf<'type'>()
expectTypeOf(fold).parameter(0).toEqualTypeOf<ChatState>()
expectTypeOf<keyof NonNullable<Parameters<typeof fold>[1]>>().toEqualTypeOf<
  'chunk' | 'messageId' | 'runId' | 'seq'
>()
expectTypeOf(fold).returns.toEqualTypeOf<ChatState>()
expectTypeOf(FoldError).constructorParameters.toEqualTypeOf<[code: FoldError['code'], message: string]>()
expectTypeOf<FoldError>().toExtend<Error>()
expectTypeOf<FoldError['code']>().toEqualTypeOf<'gap' | 'unknown-message' | 'unknown-part'>()
expectTypeOf<keyof FoldError>().toEqualTypeOf<'cause' | 'code' | 'message' | 'name' | 'stack'>()
expectTypeOf(formatCost).toEqualTypeOf<(dollars: number | null | undefined) => string | undefined>()
expectTypeOf(agentNameRule).toEqualTypeOf<string>()
expectTypeOf<ChatId>().toExtend<string>()
expectTypeOf<string>().not.toExtend<ChatId>()
expectTypeOf<keyof ChatKey>().toEqualTypeOf<'chatId' | 'ownerId'>()
expectTypeOf(createId).toEqualTypeOf<
  <Id extends string>(isKind: (value: unknown) => value is Id, prefix: string) => Id
>()
expectTypeOf(idPattern).toEqualTypeOf<RegExp>()
expectTypeOf(idRule).toExtend<string>()
expectTypeOf(isAgentName).toEqualTypeOf<(value: unknown) => value is string>()
expectTypeOf(isChatId).toEqualTypeOf<(value: unknown) => value is ChatId>()
expectTypeOf(isId).toEqualTypeOf<<Id extends string = string>(value: unknown) => value is Id>()
expectTypeOf(isMessageId).toEqualTypeOf<(value: unknown) => value is MessageId>()
expectTypeOf(isOwnerId).toEqualTypeOf<(value: unknown) => value is OwnerId>()
expectTypeOf(isRunId).toEqualTypeOf<(value: unknown) => value is RunId>()
expectTypeOf<MessageId>().toExtend<string>()
expectTypeOf<string>().not.toExtend<MessageId>()
expectTypeOf<OwnerId>().toExtend<string>()
expectTypeOf<string>().not.toExtend<OwnerId>()
expectTypeOf<RunId>().toExtend<string>()
expectTypeOf<string>().not.toExtend<RunId>()
expectTypeOf(randomHex).toEqualTypeOf<(byteCount: number) => string>()
expectTypeOf<ChatListEvent>().toEqualTypeOf<
  | { readonly type: 'list'; readonly chats: readonly ListedChat[] }
  | { readonly type: 'chat'; readonly chat: ListedChat }
  | { readonly type: 'gone'; readonly id: ChatId }
>()
expectTypeOf(isChatListEvent).toEqualTypeOf<(value: unknown) => value is ChatListEvent>()
expectTypeOf<keyof ListedChat>().toEqualTypeOf<
  'activity' | 'answeredAt' | 'channel' | 'createdAt' | 'id' | 'pinnedAt' | 'title' | 'updatedAt'
>()
expectTypeOf<keyof DataPart>().toEqualTypeOf<'data' | 'id' | 'type'>()
expectTypeOf<keyof FilePart>().toEqualTypeOf<'filename' | 'mediaType' | 'providerMetadata' | 'type' | 'url'>()
expectTypeOf(isDataPart).toEqualTypeOf<(part: Part) => part is DataPart>()
expectTypeOf(isFilePart).toEqualTypeOf<(part: Part) => part is FilePart>()
expectTypeOf(isToolPart).toEqualTypeOf<(part: Part) => part is ToolPart>()
expectTypeOf<Message['parts']>().toEqualTypeOf<readonly Part[]>()
expectTypeOf<Message['role']>().toEqualTypeOf<'system' | 'user' | 'assistant'>()
expectTypeOf<keyof Message>().toEqualTypeOf<'id' | 'metadata' | 'parts' | 'role'>()
expectTypeOf<Part['type']>().toEqualTypeOf<
  | 'custom'
  | 'dynamic-tool'
  | 'file'
  | 'reasoning'
  | 'reasoning-file'
  | 'source-document'
  | 'source-url'
  | 'steering-message'
  | 'step-start'
  | 'text'
  | `data-${string}`
  | `tool-${string}`
>()
expectTypeOf<keyof ReasoningPart>().toEqualTypeOf<'id' | 'providerMetadata' | 'state' | 'text' | 'type'>()
expectTypeOf<keyof ToolPart>().toEqualTypeOf<
  | 'approval'
  | 'callProviderMetadata'
  | 'errorText'
  | 'input'
  | 'inputEncoding'
  | 'output'
  | 'preliminary'
  | 'providerExecuted'
  | 'rawInput'
  | 'resultProviderMetadata'
  | 'state'
  | 'title'
  | 'toolCallId'
  | 'toolMetadata'
  | 'toolName'
  | 'type'
>()
expectTypeOf(textOf).toEqualTypeOf<(message: Message) => string>()
expectTypeOf(toolNameOf).toEqualTypeOf<(part: ToolPart) => string>()
expectTypeOf<keyof AgentInfo>().toEqualTypeOf<'depth' | 'displayName' | 'kind' | 'name' | 'path'>()
expectTypeOf<keyof DefinitionVersion>().toEqualTypeOf<'id' | 'version'>()
expectTypeOf<EndStatus>().toEqualTypeOf<'finished' | 'stopped' | 'failed' | 'limit' | 'interrupted'>()
expectTypeOf<MessageMetadata['status']>().toEqualTypeOf<EndStatus | 'streaming' | undefined>()
expectTypeOf<keyof ModelUsage>().toEqualTypeOf<
  'cachedInputTokens' | 'calls' | 'cost' | 'inputTokens' | 'outputTokens' | 'reasoningTokens' | 'totalTokens'
>()
expectTypeOf<z.infer<typeof messageMetadataSchema>>().toEqualTypeOf<MessageMetadata>()
expectTypeOf<keyof ToolError>().toEqualTypeOf<'errorText' | 'toolName'>()
expectTypeOf<keyof Usage>().toEqualTypeOf<
  | 'byModel'
  | 'cachedInputTokens'
  | 'cost'
  | 'inputTokens'
  | 'outputTokens'
  | 'reasoningTokens'
  | 'totalTokens'
>()
expectTypeOf<z.infer<typeof usageSchema>>().toEqualTypeOf<Usage>()
expectTypeOf<keyof AwaitedOutput>().toEqualTypeOf<'from' | 'part' | 'requestId' | 'toolCallId'>()
expectTypeOf(awaitedOutputs).toEqualTypeOf<(options: Message) => readonly AwaitedOutput[]>()
expectTypeOf<keyof OutputRequest>().toEqualTypeOf<'from' | 'requestId' | 'toolCallId'>()
expectTypeOf<OutputSource>().toEqualTypeOf<'client' | 'person'>()
expectTypeOf<OnBusy>().toEqualTypeOf<'reject' | 'queue' | 'interrupt'>()
expectTypeOf(onBusyModes).toEqualTypeOf<readonly ['reject', 'queue', 'interrupt']>()
expectTypeOf(outputFromText).toEqualTypeOf<(text: string) => unknown>()
expectTypeOf(outputRequestChunk).toEqualTypeOf<(data: OutputRequest) => Chunk>()
expectTypeOf(outputRequestIn).toEqualTypeOf<
  (options: { readonly type: string; readonly data?: unknown }) => OutputRequest | undefined
>()
expectTypeOf(outputSources).toEqualTypeOf<readonly ['client', 'person']>()
expectTypeOf(questionText).toEqualTypeOf<(input: unknown) => string>()
expectTypeOf(questionToolName).toBeString()
expectTypeOf(picturesIn).toEqualTypeOf<(output: unknown) => readonly string[]>()
expectTypeOf(createEpoch).toEqualTypeOf<() => string>()
expectTypeOf(formatPosition).toEqualTypeOf<(position: Position) => string>()
expectTypeOf<Position>().toEqualTypeOf<{ readonly epoch: string; readonly seq: number }>()
expectTypeOf<keyof Position>().toEqualTypeOf<'epoch' | 'seq'>()
expectTypeOf(parsePosition).toEqualTypeOf<(text: string) => Position | undefined>()
expectTypeOf(ProblemError).toBeConstructibleWith(404, 'chat-not-found', 'Why.')
expectTypeOf(ProblemError).toBeConstructibleWith(404, 'chat-not-found', 'Why.', { fact: 1 })
expectTypeOf<ProblemError>().toExtend<Error>()
expectTypeOf<ProblemError['code']>().toEqualTypeOf<
  | 'agent-disabled'
  | 'agent-in-code'
  | 'agent-not-found'
  | 'answer-not-found'
  | 'approval-not-found'
  | 'approval-not-waiting'
  | 'body-too-complex'
  | 'body-too-deep'
  | 'body-too-large'
  | 'channel-not-found'
  | 'chat-busy'
  | 'chat-not-found'
  | 'connection-not-found'
  | 'damaged-in-queue'
  | 'data-damaged'
  | 'edited-arguments'
  | 'empty-message'
  | 'event-stream-only'
  | 'file-not-found'
  | 'file-too-large'
  | 'file-type'
  | 'files-too-large'
  | 'files-unavailable'
  | 'fixed-metadata'
  | 'for-a-person'
  | 'foreign-file'
  | 'foreign-origin'
  | 'foreign-redirect'
  | 'headers-too-large'
  | 'internal'
  | 'invalid-body'
  | 'invalid-days'
  | 'invalid-definition'
  | 'invalid-file'
  | 'invalid-http'
  | 'invalid-id'
  | 'invalid-json'
  | 'invalid-page'
  | 'invalid-request'
  | 'invalid-start-index'
  | 'invalid-tools'
  | 'invalid_starting_after'
  | 'json-required'
  | 'message-deleted'
  | 'message-id-taken'
  | 'message-not-found'
  | 'model-not-offered'
  | 'model_not_found'
  | 'name-taken'
  | 'no-proxy'
  | 'no-upgrade'
  | 'no-user-message'
  | 'no_user_message'
  | 'nobody-to-answer'
  | 'not-a-user-message'
  | 'not-in-a-channel'
  | 'not-waiting'
  | 'nothing-to-share'
  | 'output-not-waiting'
  | 'output-request-not-found'
  | 'output-too-large'
  | 'position-unknown'
  | 'query-too-long'
  | 'queue-full'
  | 'removed-from-queue'
  | 'request-timeout'
  | 'response_not_found'
  | 'route-not-found'
  | 'run-not-found'
  | 'server-busy'
  | 'session-not-found'
  | 'share-not-found'
  | 'sharing-off'
  | 'shutting-down'
  | 'sign-in-failed'
  | 'sign-in-required'
  | 'sign-in-timeout'
  | 'stale-version'
  | 'starting'
  | 'store-full'
  | 'store-gone'
  | 'store-unavailable'
  | 'store-unwritable'
  | 'stream-not-found'
  | 'ticket-not-valid'
  | 'ticket-too-large'
  | 'token-required'
  | 'too-large-to-share'
  | 'too-many-agents'
  | 'too-many-files'
  | 'too-many-messages'
  | 'too-many-shares'
  | 'too-slow'
  | 'tool-name-taken'
  | 'tool_call_not_found'
  | 'tool_call_not_waiting'
  | 'unknown-agent'
  | 'unknown-expectation'
  | 'unknown-file'
  | 'unknown-form'
  | 'unknown-message'
  | 'unknown-model'
  | 'unsupported-form'
  | 'unsupported-position'
  | 'unsupported_value'
  | 'wrong-host'
>()
expectTypeOf<keyof ProblemError>().toEqualTypeOf<
  'cause' | 'code' | 'facts' | 'message' | 'name' | 'stack' | 'status' | 'toProblem'
>()
expectTypeOf<'agent-disabled'>().toExtend<ProblemCode>()
expectTypeOf<ParsedQueryEvent>().toEqualTypeOf<
  | { readonly type: 'event'; readonly event: QueryEvent }
  | { readonly type: 'unknown'; readonly eventType: string }
  | { readonly type: 'invalid'; readonly problem: string }
>()
expectTypeOf(parseQueryEvent).toEqualTypeOf<(json: string) => ParsedQueryEvent>()
expectTypeOf<QueryEvent['type']>().toEqualTypeOf<
  | 'approval_request'
  | 'approval_response'
  | 'error'
  | 'final'
  | 'output_request'
  | 'step_complete'
  | 'step_start'
  | 'text'
  | 'text_delta'
  | 'tool_call'
  | 'tool_result'
  | 'usage'
>()
expectTypeOf<QueryEventOf<'text_delta'>['type']>().toEqualTypeOf<'text_delta'>()
expectTypeOf<keyof QueryModelUsage>().toEqualTypeOf<
  'completion_tokens' | 'cost' | 'cost_known' | 'invocations' | 'model' | 'prompt_tokens' | 'total_tokens'
>()
expectTypeOf<keyof QueryUsage>().toEqualTypeOf<
  | 'by_model'
  | 'cost_known'
  | 'total_completion_tokens'
  | 'total_cost'
  | 'total_prompt_tokens'
  | 'total_tokens'
>()
expectTypeOf(isUnreadable).toEqualTypeOf<(part: { readonly type: string }) => boolean>()
expectTypeOf<keyof NonNullable<Parameters<typeof encodeSse>[0]>>().toEqualTypeOf<'data' | 'event' | 'id'>()
expectTypeOf(encodeSse).returns.toEqualTypeOf<string>()
expectTypeOf(encodeSseComment).toEqualTypeOf<(text: string) => string>()
expectTypeOf(encodeSseRetry).toEqualTypeOf<(ms: number) => string>()
expectTypeOf(finishStep).toEqualTypeOf<(usage?: StepUsage | undefined) => ChunkOf<'finish-step'>>()
expectTypeOf<keyof StepUsage>().toEqualTypeOf<
  'cachedInputTokens' | 'cost' | 'inputTokens' | 'model' | 'outputTokens' | 'reasoningTokens' | 'totalTokens'
>()
expectTypeOf(stepUsageOf).toEqualTypeOf<(chunk: Chunk) => StepUsage | undefined>()
expectTypeOf(withoutStepUsage).toEqualTypeOf<(chunk: Chunk) => Chunk>()
expectTypeOf(toolInput).toEqualTypeOf<(part: ToolPart) => unknown>()
expectTypeOf<keyof TruncatedValue>().toEqualTypeOf<'bytes' | 'keptBytes' | 'limit' | 'text' | 'type'>()
expectTypeOf<TruncationLimit>().toEqualTypeOf<'maxToolOutputBytes' | 'maxRunToolOutputBytes'>()
expectTypeOf(truncatedIn).toEqualTypeOf<(value: unknown) => TruncatedValue | undefined>()
