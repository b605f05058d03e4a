// The entry point `@throughline/protocol/internal`: small helpers that the packages of Throughline share. They may change with
// every version.

export { type ConcurrencyLimit, KeyedMutex, limitConcurrency, yieldEvery } from './async/concurrency.ts'
export { retry } from './async/retry.ts'
export {
  AbortableIterator,
  createDeferred,
  type Deferred,
  iterateUntilAborted,
  pause,
  untilAborted,
  within,
} from './async/waits.ts'
export { epochFrom, generationOf, logOfEpoch } from './entries/position.ts'
export { closedCallText, outcomeUnknownText } from './message/tool-call.ts'
export { badField, defined, type Fields as FieldChecks, isString } from './values/fields.ts'
export { isTooDeep, maxJsonDepth, parseJson } from './values/json.ts'
export { emptyList, keyedToArray, type List, listPush, listToArray } from './values/list.ts'
export { memoizeByIdentity } from './values/memoize-by-identity.ts'
export { didYouMean, type KeysOf, unknownKey } from './values/names.ts'
export { graphemeFloor, newTextIn, shorten } from './values/text.ts'
export {
  type AgentsBody,
  type DefinableModels,
  type DefinitionProblem,
  isAgentsBody,
  type MasterBody,
  type SubAgentBody,
} from './wire/agent-bodies.ts'
export type { BodyCheck } from './wire/body-check.ts'
export {
  type ChatBody,
  type FoundChats,
  isChatBody,
  isFoundChats,
  isMessagesBody,
  isQueueBody,
  isQueuedMessage,
  isTakeOver,
  type MessagesBody,
  type QueueBody,
  type QueuedMessage,
  type TakeOver,
} from './wire/chat-bodies.ts'
export { continueRequests } from './wire/continue-requests.ts'
export {
  type DefinitionBody,
  isDefinitionBody,
  isRefusedDefinition,
  isToolsBody,
  type RefusedDefinition,
  type ToolBody,
  type ToolsBody,
} from './wire/definition-bodies.ts'
export { maxFileBytes, maxFiles, maxFilesBytes, maxTextFileBytes } from './wire/message-options.ts'
export type { OutboxItem, OutboxItemBody, SettledOutboxItem } from './wire/outbox-item.ts'
export {
  fillSentence,
  readServerSentence,
  type SentenceCode,
  serverSentence,
} from './wire/sentences.ts'
export {
  isSharedChat,
  isShareLink,
  isShareLinks,
  type SharedChat,
  type SharedFacts,
  type ShareLink,
  type ShareLinks,
} from './wire/share-bodies.ts'
export {
  type ConnectionBody,
  type ConnectionsBody,
  isConnectionsBody,
  isServerStatus,
  isSignInAddress,
  isUsageBody,
  type OperatorStatus,
  type ServerStatus,
  type SignInAddress,
  type UsageBody,
  type UsageOfDay,
} from './wire/status-bodies.ts'
