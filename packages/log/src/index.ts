// The entry point `@throughline/log`.

export { type Batch, type BatchOptions, batchDeltas } from './batch-deltas.ts'
export { createBells } from './bells.ts'
/** @public */
export { type FollowOptions, follow } from './follow.ts'
export {
  assertKnown,
  fencedError,
  type Lease,
  LogError,
  type LogName,
  type LogStore,
  logName,
} from './log-store.ts'
/** @public */
export { createMemoryLogStore } from './memory-log-store.ts'
export { type LogRange, readBetween } from './read-between.ts'
export { createRecentEntries } from './recent-entries.ts'
export { entriesFrom, sealDrafts } from './seal-drafts.ts'
