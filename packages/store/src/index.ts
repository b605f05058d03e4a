// The entry point `@throughline/store`.

export type { ApprovalName, FoundApproval } from './approvals.ts'
export { backUpStopped } from './backup/back-up-stopped.ts'
export { BackupError } from './backup/backup-error.ts'
export type { StoreBackup } from './backup/write-backup.ts'
export type { MessageChanges } from './change-messages.ts'
export type { ChannelChat } from './channel-chats.ts'
export type { ChatRecord } from './chats.ts'
export { type CompactedStore, compactStore, type StoreContents } from './compact-store.ts'
export type { DefinitionDraft, DefinitionKey, Definitions, StoredDefinition } from './definitions.ts'
export { bucketBytes, probeBucket } from './file-bytes/bucket-bytes.ts'
export type { BucketOptions } from './file-bytes/bucket-client.ts'
export { FileBytesError } from './file-bytes/file-bytes.ts'
export type { Files, MessageFile, StoredFile } from './files.ts'
export { giveMemoryBack } from './give-memory-back.ts'
export type { JobLeases } from './job-leases.ts'
export { loopUtilization } from './loop-utilization.ts'
export type { MessageOutline } from './message-rows.ts'
export { MoveError } from './move/move-error.ts'
export { type MovedStore, type MoveProgress, moveStore } from './move/move-store.ts'
export type { Nodes } from './nodes.ts'
export { openStore, type StoreOptions } from './open-store.ts'
export { openStoreAt, type PostgresLocation, type StoreLocation } from './open-store-at.ts'
export type { OperatorReply, ReplyName } from './operator-replies.ts'
export type { RunOwners } from './run-owners.ts'
export {
  type DamagedRun,
  hasAnswer,
  hasNewMessage,
  type Run,
  type RunEnd,
  type RunStart,
  type StopRequester,
  type TakenRun,
} from './runs.ts'
export type { FoundShare, NewShare, ShareRecord } from './shares.ts'
export type { Signals } from './signals.ts'
export { SqlError } from './sql.ts'
export { assertNode } from './sqlite/assert-node.ts'
export type { Store } from './store.ts'
export type { StoreHealth } from './store-health.ts'
export { measureStore, type StoreSizes } from './store-sizes.ts'
export type { UsageShare } from './usage-days.ts'
export type { WaitingName, WaitingSubmission } from './waiting-submissions.ts'
