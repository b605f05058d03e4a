import {
  assertKnown,
  assertWritable,
  type Batch,
  type BatchOptions,
  type Bells,
  batchDeltas,
  createBells,
  createMemoryLogStore,
  createRecentEntries,
  entriesFrom,
  type FollowOptions,
  follow,
  type Lease,
  LogError,
  type LogExtent,
  type LogName,
  type LogRange,
  type LogStore,
  logName,
  type RecentEntries,
  readBetween,
  type SealedDraft,
  sealDrafts,
} from '@throughline/log'
import type { ChatId, ChatKey, Entry, EntryDraft, OwnerId, Position } from '@throughline/protocol'
import { expectTypeOf } from 'vitest'

expectTypeOf<keyof Batch>().toEqualTypeOf<'emit' | 'flush'>()
expectTypeOf<keyof BatchOptions>().toEqualTypeOf<'maxChars' | 'maxDelayMs' | 'maxWaitingChars' | 'minGapMs'>()
expectTypeOf(batchDeltas).toEqualTypeOf<
  (append: (drafts: readonly EntryDraft[]) => Promise<unknown>, options?: BatchOptions) => Batch
>()
expectTypeOf<keyof Bells>().toEqualTypeOf<'listen' | 'ring'>()
expectTypeOf(createBells).toEqualTypeOf<() => Bells>()
expectTypeOf<keyof FollowOptions>().toEqualTypeOf<'after' | 'closing' | 'isLast' | 'pageSize' | 'signal'>()
expectTypeOf(follow).toEqualTypeOf<
  (
    store: Pick<LogStore, 'read' | 'onAppend'>,
    log: LogName,
    options2: FollowOptions,
  ) => AsyncGenerator<readonly Entry[], boolean, undefined>
>()
expectTypeOf(assertKnown).toEqualTypeOf<
  (log: LogName, options1: Position, extent: LogExtent | undefined) => void
>()
expectTypeOf(assertWritable).toEqualTypeOf<
  (lease: Lease, after: number, head: (Position & Pick<Lease, 'fence'>) | undefined) => void
>()
expectTypeOf<keyof Lease>().toEqualTypeOf<'fence' | 'head' | 'log'>()
expectTypeOf(LogError).constructorParameters.toEqualTypeOf<
  [code: LogError['code'], log: LogName, message: string]
>()
expectTypeOf<LogError>().toExtend<Error>()
expectTypeOf<LogError['code']>().toEqualTypeOf<
  'fenced' | 'invalid-chunk' | 'unknown-position' | 'wrong-end'
>()
expectTypeOf<keyof LogError>().toEqualTypeOf<'cause' | 'code' | 'log' | 'message' | 'name' | 'stack'>()
expectTypeOf<keyof LogExtent>().toEqualTypeOf<'epoch' | 'seq' | 'trimmed'>()
expectTypeOf<LogName>().toEqualTypeOf<`${OwnerId}/${ChatId}`>()
expectTypeOf<LogStore['acquire']>().toEqualTypeOf<(log: LogName) => Promise<Lease>>()
expectTypeOf<LogStore['read']>().toEqualTypeOf<
  (log: LogName, after: Position, limit: number) => Promise<readonly Entry[]>
>()
expectTypeOf<LogStore['onAppend']>().toEqualTypeOf<(log: LogName, listener: () => void) => () => void>()
expectTypeOf<keyof LogStore>().toEqualTypeOf<
  'acquire' | 'append' | 'onAppend' | 'open' | 'read' | 'release' | 'remove' | 'trim'
>()
expectTypeOf(logName).toEqualTypeOf<(options: ChatKey) => LogName>()
expectTypeOf(createMemoryLogStore).toEqualTypeOf<
  (options?: { now?: (() => number) | undefined }) => LogStore
>()
expectTypeOf<keyof LogRange>().toEqualTypeOf<'after' | 'upTo'>()
expectTypeOf(readBetween).toEqualTypeOf<
  (
    store: Pick<LogStore, 'read'>,
    log: LogName,
    options2: LogRange,
  ) => AsyncGenerator<readonly Entry[], void, undefined>
>()
expectTypeOf<keyof NonNullable<Parameters<typeof createRecentEntries>[0]>>().toEqualTypeOf<
  'maxAgeMs' | 'maxBytes' | 'maxLogBytes' | 'now'
>()
expectTypeOf(createRecentEntries).returns.toEqualTypeOf<RecentEntries>()
expectTypeOf<keyof RecentEntries>().toEqualTypeOf<'add' | 'forget' | 'read' | 'watch'>()
expectTypeOf(entriesFrom).toEqualTypeOf<
  (
    sealed: readonly SealedDraft[],
    options1: { readonly first: number; readonly at: number },
  ) => readonly Entry[]
>()
expectTypeOf<keyof SealedDraft>().toEqualTypeOf<'chunk' | 'json' | 'messageId' | 'runId'>()
expectTypeOf(sealDrafts).toEqualTypeOf<
  (log: LogName, drafts: readonly EntryDraft[]) => readonly SealedDraft[]
>()
