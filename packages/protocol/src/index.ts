// The entry point `@throughline/protocol`: what a stream, a log and a message are made of.

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
} from './branches.ts'
export {
  type ChatState,
  chatFrom,
  emptyChat,
  findMessage,
  type MessageRecord,
  messageOf,
  messagesOf,
} from './chat-state.ts'
export {
  type Chunk,
  type ChunkOf,
  chunkProblem,
  isChunk,
  isRecord,
  isUnknownChunk,
  type MessageChunk,
  type RearrangeChunk,
  type Rearrangement,
} from './chunk.ts'
export { closedCallOf } from './closed-call.ts'
export { continuedChunk, isContinued, isStepCutAt } from './continued.ts'
export { type Entry, type EntryDraft, isEndChunk, parseEntry } from './entry.ts'
export { fold } from './fold.ts'
export { FoldError } from './fold-error.ts'
export { formatCost } from './format-cost.ts'
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
} from './ids.ts'
export { type ChatListEvent, isChatListEvent, type ListedChat } from './listed-chat.ts'
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
} from './message.ts'
export {
  type AgentInfo,
  type EndStatus,
  type MessageMetadata,
  type ModelUsage,
  messageMetadataSchema,
  type ToolError,
  type Usage,
  usageSchema,
} from './metadata.ts'
/** @public */
export type { AwaitedOutput } from './output-request.ts'
export {
  awaitedOutputs,
  type OutputRequest,
  type OutputSource,
  outputFromText,
  outputRequestChunk,
  outputRequestIn,
  outputSources,
  questionText,
  questionToolName,
} from './output-request.ts'
export { picturesIn } from './pictures-in.ts'
export { createEpoch, formatPosition, type Position, parsePosition } from './position.ts'
export { ProblemError } from './problem.ts'
export type { ProblemCode } from './problem-code.ts'
export {
  type ParsedQueryEvent,
  parseQueryEvent,
  type QueryEvent,
  type QueryEventOf,
  type QueryModelUsage,
  type QueryUsage,
} from './query-event.ts'
export { isUnreadable } from './readable-part.ts'
export { encodeSse, encodeSseComment, encodeSseRetry } from './sse.ts'
export { finishStep, type StepUsage, stepUsageOf, withoutStepUsage } from './step-usage.ts'
export { toolInput } from './tool-input.ts'
export { type TruncatedValue, type TruncationLimit, truncatedIn } from './truncated-value.ts'
