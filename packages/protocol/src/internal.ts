// The entry point `@throughline/protocol/internal`: small helpers that the packages of Throughline share. They may change with
// every version.

export { closedCallText, outcomeUnknownText } from './closed-call.ts'
export { continueRequests } from './continue-requests.ts'
export { createDeferred, type Deferred } from './deferred.ts'
export { graphemeFloor } from './grapheme-floor.ts'
export { AbortableIterator, iterateUntilAborted } from './iterate-until-aborted.ts'
export { isTooDeep, maxJsonDepth } from './json-depth.ts'
export { keyedToArray } from './keyed-list.ts'
export { emptyList, type List, listPush, listToArray } from './list.ts'
export { memoizeByIdentity } from './memoize-by-identity.ts'
export { newTextIn } from './monotonic-text.ts'
export { didYouMean } from './nearest-name.ts'
export type { OutboxItem, OutboxItemBody, SettledOutboxItem } from './outbox-item.ts'
export { parseJson } from './parse-json.ts'
export { retry } from './retry.ts'
export {
  fillSentence,
  readServerSentence,
  type SentenceCode,
  serverSentence,
} from './server-sentences.ts'
export { shareTurns } from './share-turns.ts'
export { shorten } from './shorten.ts'
export { type TakeTurns, takeTurns } from './take-turns.ts'
export { type KeysOf, unknownKey } from './unknown-key.ts'
export { untilAborted } from './until-aborted.ts'
