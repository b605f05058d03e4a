// The entry point `@throughline/log`.

export { type Batch, type BatchOptions, batchDeltas } from './batch-deltas.ts'
export { type Bells, createBells } from './bells.ts'
/** @public */
export { type FollowOptions, follow } from './follow.ts'
export {
  assertKnown,
  assertWritable,
  type Lease,
  LogError,
  type LogExtent,
  type LogName,
  type LogStore,
  logName,
} from './log-store.ts'
/** @public */
export { createMemoryLogStore } from './memory-log-store.ts'
export { type LogRange, readBetween } from './read-between.ts'
export { createRecentEntries, type RecentEntries } from './recent-entries.ts'
export { entriesFrom, type SealedDraft, sealDrafts } from './seal-drafts.ts'
