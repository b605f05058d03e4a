import type { Message } from '@throughline/protocol'
import {
  type ApprovalName,
  assertNode,
  BackupError,
  type BucketOptions,
  backUpStopped,
  bucketBytes,
  type ChannelChat,
  type ChatRecord,
  type CompactedStore,
  compactStore,
  type DamagedRun,
  type DefinitionDraft,
  type DefinitionKey,
  type Definitions,
  FileBytesError,
  type Files,
  type FoundApproval,
  type FoundShare,
  giveMemoryBack,
  hasAnswer,
  hasNewMessage,
  inTime,
  type JobLeases,
  loopUtilization,
  type MessageChanges,
  type MessageFile,
  type MessageOutline,
  type MovedStore,
  MoveError,
  type MoveProgress,
  measureStore,
  moveStore,
  type NewShare,
  type Nodes,
  type OperatorReply,
  openStore,
  openStoreAt,
  type Patience,
  type PostgresLocation,
  probeBucket,
  type ReplyName,
  type Run,
  type RunEnd,
  type RunOwners,
  type RunStart,
  renewStore,
  type ShareRecord,
  type Signals,
  SqlError,
  type StopRequester,
  type Store,
  type StoreBackup,
  type StoreContents,
  type StoredDefinition,
  type StoredFile,
  type StoreHealth,
  type StoreLocation,
  type StoreOptions,
  type StoreSizes,
  type TakenRun,
  type UsageShare,
  type WaitingName,
  type WaitingSubmission,
  withPatience,
} from '@throughline/store'
import { expectTypeOf } from 'vitest'

expectTypeOf<keyof ApprovalName>().toEqualTypeOf<'id' | 'ownerId'>()
expectTypeOf<keyof FoundApproval>().toEqualTypeOf<
  | 'answer'
  | 'chatId'
  | 'id'
  | 'inputHash'
  | 'kind'
  | 'messageId'
  | 'reason'
  | 'runId'
  | 'status'
  | 'toolCallId'
>()
expectTypeOf(backUpStopped).toEqualTypeOf<(folder: string, target: string) => Promise<StoreBackup>>()
expectTypeOf(BackupError).constructorParameters.toEqualTypeOf<[code: BackupError['code'], message: string]>()
expectTypeOf<BackupError>().toExtend<Error>()
expectTypeOf<BackupError['code']>().toEqualTypeOf<'busy' | 'exists' | 'failed'>()
expectTypeOf<keyof BackupError>().toEqualTypeOf<'cause' | 'code' | 'message' | 'name' | 'stack'>()
expectTypeOf<keyof StoreBackup>().toEqualTypeOf<'databaseBytes' | 'fileBytes' | 'fileCount'>()
expectTypeOf<keyof MessageChanges>().toEqualTypeOf<'metadata' | 'places' | 'removed'>()
expectTypeOf<keyof ChannelChat>().toEqualTypeOf<
  'channel' | 'chatId' | 'delivered' | 'ownerId' | 'takenOverBy' | 'target'
>()
expectTypeOf<keyof ChatRecord>().toEqualTypeOf<'createdAt' | 'id' | 'title' | 'updatedAt'>()
expectTypeOf<keyof CompactedStore>().toEqualTypeOf<'after' | 'before' | 'contents' | 'finishedRemovals'>()
expectTypeOf(compactStore).parameter(0).toEqualTypeOf<string>()
expectTypeOf<keyof NonNullable<Parameters<typeof compactStore>[1]>>().toEqualTypeOf<'fileBytes'>()
expectTypeOf(compactStore).returns.toEqualTypeOf<Promise<CompactedStore>>()
expectTypeOf<keyof StoreContents>().toEqualTypeOf<'chats' | 'entries' | 'messages'>()
expectTypeOf<keyof DefinitionDraft>().toEqualTypeOf<
  'enabled' | 'fields' | 'id' | 'name' | 'updatedAt' | 'workspaceId'
>()
expectTypeOf<keyof DefinitionKey>().toEqualTypeOf<'name' | 'workspaceId'>()
expectTypeOf<keyof Definitions>().toEqualTypeOf<'create' | 'get' | 'list' | 'remove' | 'update'>()
expectTypeOf<keyof StoredDefinition>().toEqualTypeOf<
  'enabled' | 'fields' | 'id' | 'name' | 'updatedAt' | 'version' | 'workspaceId'
>()
expectTypeOf(bucketBytes).parameter(0).toEqualTypeOf<BucketOptions>()
expectTypeOf<keyof NonNullable<Awaited<ReturnType<typeof bucketBytes>>>>().toEqualTypeOf<
  'location' | 'read' | 'remove' | 'removeAll' | 'write'
>()
expectTypeOf(probeBucket).toEqualTypeOf<(options: BucketOptions) => Promise<void>>()
expectTypeOf<keyof BucketOptions>().toEqualTypeOf<
  | 'accessKeyId'
  | 'attemptMs'
  | 'bucket'
  | 'prefix'
  | 'region'
  | 'retryMs'
  | 'secretAccessKey'
  | 'sessionToken'
  | 'url'
>()
expectTypeOf(FileBytesError).constructorParameters.toEqualTypeOf<
  [code: FileBytesError['code'], message: string]
>()
expectTypeOf<FileBytesError>().toExtend<Error>()
expectTypeOf<FileBytesError['code']>().toEqualTypeOf<'refused' | 'unreachable'>()
expectTypeOf<keyof FileBytesError>().toEqualTypeOf<'cause' | 'code' | 'message' | 'name' | 'stack'>()
expectTypeOf<keyof Files>().toEqualTypeOf<'find' | 'keep' | 'location' | 'read' | 'removeAll' | 'write'>()
expectTypeOf<keyof MessageFile>().toEqualTypeOf<'at' | 'bytes' | 'id' | 'mediaType'>()
expectTypeOf<keyof StoredFile>().toEqualTypeOf<'bytes' | 'mediaType'>()
expectTypeOf(renewStore).toEqualTypeOf<(options: StoreLocation) => Promise<number>>()
expectTypeOf<keyof NonNullable<Parameters<typeof giveMemoryBack>[0]>>().toEqualTypeOf<
  'collect' | 'heldBytes' | 'minGrowthBytes' | 'periodMs' | 'utilization'
>()
expectTypeOf(giveMemoryBack).returns.toEqualTypeOf<() => void>()
expectTypeOf<keyof JobLeases>().toEqualTypeOf<'giveBack' | 'take'>()
expectTypeOf(loopUtilization).toEqualTypeOf<() => () => number>()
expectTypeOf<MessageOutline>().toEqualTypeOf<Omit<Message, 'parts'>>()
expectTypeOf(MoveError).constructorParameters.toEqualTypeOf<[code: MoveError['code'], message: string]>()
expectTypeOf<MoveError>().toExtend<Error>()
expectTypeOf<MoveError['code']>().toEqualTypeOf<'difference' | 'source' | 'target'>()
expectTypeOf<keyof MoveError>().toEqualTypeOf<'cause' | 'code' | 'message' | 'name' | 'stack'>()
expectTypeOf<keyof MovedStore>().toEqualTypeOf<'files' | 'tables'>()
expectTypeOf<MoveProgress>().toEqualTypeOf<
  | { readonly type: 'restarted' }
  | { readonly type: 'copied' | 'compared'; readonly table: string; readonly rows: number }
  | { readonly type: 'files-copied' }
>()
expectTypeOf<keyof NonNullable<Parameters<typeof moveStore>[0]>>().toEqualTypeOf<
  'bucket' | 'folder' | 'now' | 'onProgress' | 'url'
>()
expectTypeOf(moveStore).returns.toEqualTypeOf<Promise<MovedStore>>()
expectTypeOf<keyof Nodes>().toEqualTypeOf<'beat' | 'live' | 'removeDead' | 'resign'>()
expectTypeOf(openStore).parameter(0).toEqualTypeOf<string>()
expectTypeOf<keyof NonNullable<Parameters<typeof openStore>[1]>>().toEqualTypeOf<
  'clock' | 'commitWaitMs' | 'fileBytes' | 'report'
>()
expectTypeOf(openStore).returns.toEqualTypeOf<Promise<Store>>()
expectTypeOf<keyof StoreOptions>().toEqualTypeOf<'clock' | 'fileBytes' | 'report'>()
expectTypeOf(openStoreAt).toEqualTypeOf<
  (options: StoreLocation, options1: Pick<StoreOptions, 'report' | 'fileBytes'>) => Promise<Store>
>()
expectTypeOf<keyof PostgresLocation>().toEqualTypeOf<'listenUrl' | 'url'>()
expectTypeOf<keyof StoreLocation>().toEqualTypeOf<'folder' | 'postgres'>()
expectTypeOf<keyof OperatorReply>().toEqualTypeOf<'isSaid' | 'text'>()
expectTypeOf<keyof ReplyName>().toEqualTypeOf<'answerId' | 'chatId' | 'ownerId'>()
expectTypeOf(inTime).toEqualTypeOf<
  <Result>(operation: Promise<Result>, late: () => Error) => Promise<Result>
>()
expectTypeOf<keyof Patience>().toEqualTypeOf<'deadline' | 'maxWaitMs' | 'signal'>()
expectTypeOf(withPatience).toEqualTypeOf<
  <Result>(patience: Patience, work: () => Promise<Result>) => Promise<Result>
>()
expectTypeOf<keyof RunOwners>().toEqualTypeOf<'free' | 'freeAll' | 'hasRunIn' | 'runsOf' | 'takeOrphans'>()
expectTypeOf<keyof DamagedRun>().toEqualTypeOf<
  'agent' | 'answerId' | 'chat' | 'id' | 'named' | 'rowName' | 'savedSeq' | 'userMessageId'
>()
expectTypeOf(hasAnswer).toEqualTypeOf<(options: Pick<Run, 'kind'>) => boolean>()
expectTypeOf(hasNewMessage).toEqualTypeOf<(options: Pick<Run, 'kind'>) => boolean>()
expectTypeOf<keyof Run>().toEqualTypeOf<
  | 'afterSeq'
  | 'agent'
  | 'answerId'
  | 'attempt'
  | 'chatId'
  | 'deaths'
  | 'id'
  | 'kind'
  | 'ownerId'
  | 'quarantine'
  | 'sentDigest'
  | 'startedAt'
  | 'status'
  | 'stopRequestedBy'
  | 'userMessageId'
>()
expectTypeOf<keyof RunEnd>().toEqualTypeOf<
  'at' | 'changes' | 'isInLog' | 'messages' | 'seq' | 'status' | 'usage'
>()
expectTypeOf<keyof RunStart>().toEqualTypeOf<
  'chat' | 'context' | 'files' | 'nodeId' | 'turn' | 'userMessage'
>()
expectTypeOf<StopRequester>().toEqualTypeOf<'user' | 'message'>()
expectTypeOf<keyof TakenRun>().toEqualTypeOf<'context' | 'run' | 'usage'>()
expectTypeOf<keyof FoundShare>().toEqualTypeOf<'chat' | 'createdAt' | 'fileIds' | 'key' | 'title'>()
expectTypeOf<keyof NewShare>().toEqualTypeOf<
  'createdAt' | 'digest' | 'fileIds' | 'key' | 'messageCount' | 'messages' | 'title'
>()
expectTypeOf<keyof ShareRecord>().toEqualTypeOf<'createdAt' | 'digest' | 'key' | 'messageCount' | 'title'>()
expectTypeOf<keyof Signals>().toEqualTypeOf<'onNodes' | 'onOwnerRing' | 'onRing' | 'ring' | 'ringNodes'>()
expectTypeOf(SqlError).constructorParameters.toEqualTypeOf<[code: SqlError['code'], message: string]>()
expectTypeOf<SqlError>().toExtend<Error>()
expectTypeOf<SqlError['code']>().toEqualTypeOf<
  | 'busy'
  | 'closed'
  | 'constraint'
  | 'damaged'
  | 'failed'
  | 'full'
  | 'in-use'
  | 'newer-schema'
  | 'no-effect'
  | 'old-node'
  | 'unconfirmed'
  | 'unreachable'
  | 'unwritable'
>()
expectTypeOf<keyof SqlError>().toEqualTypeOf<'cause' | 'code' | 'message' | 'name' | 'stack'>()
expectTypeOf(assertNode).toEqualTypeOf<(version?: string) => void>()
expectTypeOf<keyof Store>().toEqualTypeOf<
  | 'approvals'
  | 'backup'
  | 'channelChats'
  | 'chatList'
  | 'chats'
  | 'close'
  | 'definitions'
  | 'deliveryOwners'
  | 'dueTrims'
  | 'facts'
  | 'files'
  | 'health'
  | 'isShared'
  | 'jobLeases'
  | 'log'
  | 'maxWaitMs'
  | 'mcpSignIns'
  | 'messages'
  | 'nodes'
  | 'now'
  | 'operatorReplies'
  | 'outbox'
  | 'runOwners'
  | 'runQuarantine'
  | 'runs'
  | 'sharedKeys'
  | 'shares'
  | 'signals'
  | 'sizes'
  | 'usageDays'
  | 'waitingSubmissions'
>()
expectTypeOf<StoreHealth>().toEqualTypeOf<
  | { readonly status: 'ok' }
  | { readonly status: 'full' | 'unwritable' | 'gone' | 'unreachable' | 'closed'; readonly problem: string }
>()
expectTypeOf(measureStore).toEqualTypeOf<(folder: string) => Promise<Required<StoreSizes>>>()
expectTypeOf<keyof StoreSizes>().toEqualTypeOf<'databaseBytes' | 'freeBytes' | 'walBytes'>()
expectTypeOf<keyof UsageShare>().toEqualTypeOf<'agent' | 'cost' | 'inputTokens' | 'model' | 'outputTokens'>()
expectTypeOf<WaitingName>().toEqualTypeOf<Pick<WaitingSubmission, 'ownerId' | 'chatId' | 'id'>>()
expectTypeOf<keyof WaitingSubmission>().toEqualTypeOf<'body' | 'chatId' | 'createdAt' | 'id' | 'ownerId'>()
