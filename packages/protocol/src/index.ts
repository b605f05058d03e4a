// The entry point `@throughline/protocol`: what a stream, a log and a message are made of.

export {
  type Chunk,
  type ChunkOf,
  chunkProblem,
  isChunk,
  isUnknownChunk,
  type MessageChunk,
  type RearrangeChunk,
  type Rearrangement,
} from './entries/chunk.ts'
export { type Entry, type EntryDraft, isEndChunk, parseEntry } from './entries/entry.ts'
/** @public */
export type { AwaitedOutput } from './entries/own-chunks.ts'
export {
  awaitedOutputs,
  continuedChunk,
  finishStep,
  isContinued,
  isStepCutAt,
  isWaitingToGoOn,
  type OutputRequest,
  type OutputSource,
  outputFromText,
  outputRequestChunk,
  outputRequestIn,
  outputSources,
  questionText,
  questionToolName,
  type StepUsage,
  stepUsageOf,
  withoutStepUsage,
} from './entries/own-chunks.ts'
export { createEpoch, formatPosition, type Position, parsePosition } from './entries/position.ts'
export {
  type ChatState,
  chatFrom,
  emptyChat,
  findMessage,
  type MessageRecord,
  messageOf,
  messagesOf,
} from './fold/chat-state.ts'
export { fold } from './fold/fold.ts'
export { FoldError } from './fold/fold-error.ts'
export {
  allPrevious,
  allVersions,
  branchLengths,
  branchOf,
  branchUpTo,
  lastIn,
  previousOf,
  rootsOf,
  type Tree,
  tipsOf,
  treeOf,
} from './message/branches.ts'
export {
  agentNameRule,
  type ChatId,
  type ChatKey,
  createId,
  idPattern,
  idRule,
  isAgentName,
  isChatId,
  isId,
  isMessageId,
  isOwnerId,
  isRunId,
  type MessageId,
  type OwnerId,
  type RunId,
  randomHex,
} from './message/ids.ts'
export {
  type DataPart,
  type FilePart,
  isDataPart,
  isFilePart,
  isToolPart,
  type Message,
  type Part,
  type ReasoningPart,
  type ToolPart,
  textOf,
  toolNameOf,
} from './message/message.ts'
export {
  type AgentInfo,
  type DefinitionVersion,
  type EndStatus,
  type MessageMetadata,
  type ModelUsage,
  messageMetadataSchema,
  type ToolError,
  type Usage,
  usageSchema,
} from './message/metadata.ts'
export { isUnreadable } from './message/readable-part.ts'
export {
  closedCallOf,
  picturesIn,
  type TruncatedValue,
  type TruncationLimit,
  toolInput,
  truncatedIn,
} from './message/tool-call.ts'
export { isRecord } from './values/fields.ts'
export { formatCost } from './values/text.ts'
export { type ChatListEvent, isChatListEvent, type ListedChat } from './wire/listed-chat.ts'
export { type OnBusy, onBusyModes } from './wire/message-options.ts'
export type { ProblemCode } from './wire/problem.ts'
export { ProblemError } from './wire/problem.ts'
export {
  type ParsedQueryEvent,
  parseQueryEvent,
  type QueryEvent,
  type QueryEventOf,
  type QueryModelUsage,
  type QueryUsage,
} from './wire/query-event.ts'
export { encodeSse, encodeSseComment, encodeSseRetry } from './wire/sse.ts'
