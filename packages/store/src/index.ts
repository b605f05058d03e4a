// The entry point `@throughline/store`.

export type { StoreBackup } from './backup/write-backup.ts'
export { BackupError, backUpStopped } from './backup/write-backup.ts'
export type { ChannelChat } from './channels/channel-chats.ts'
export type { OperatorReply, ReplyName } from './channels/operator-replies.ts'
export type { ChatRecord } from './chats/chats.ts'
export type { FoundShare, NewShare, ShareRecord } from './chats/shares.ts'
export { inTime, type Patience, withPatience } from './database/patience.ts'
export { SqlError } from './database/sql.ts'
export { bucketBytes, probeBucket } from './file-bytes/bucket-bytes.ts'
export type { BucketOptions } from './file-bytes/bucket-client.ts'
export { FileBytesError } from './file-bytes/file-bytes.ts'
export type { Files, MessageFile, StoredFile } from './files/files.ts'
export { measureStore, type StoreSizes } from './health/database-facts.ts'
export type { StoreHealth } from './health/store-health.ts'
export { giveMemoryBack, loopUtilization } from './memory/give-memory-back.ts'
export type { MessageOutline } from './messages/message-rows.ts'
export type { MessageChanges } from './messages/messages.ts'
export { MoveError } from './move/move-error.ts'
export { type MovedStore, type MoveProgress, moveStore } from './move/move-store.ts'
export type { JobLeases } from './nodes/job-leases.ts'
export type { Nodes } from './nodes/nodes.ts'
export type { Signals } from './nodes/signals.ts'
export { type CompactedStore, compactStore, type StoreContents } from './open/compact-store.ts'
export { openStore, type StoreOptions } from './open/open-store.ts'
export type { Store } from './open/store.ts'
export { openStoreAt, type PostgresLocation, type StoreLocation } from './open-store-at.ts'
export type { DefinitionDraft, DefinitionKey, Definitions, StoredDefinition } from './owners/definitions.ts'
export type { UsageShare } from './owners/usage-days.ts'
export type { WaitingName, WaitingSubmission } from './queue/waiting-submissions.ts'
export { renewStore } from './renew-store.ts'
export type { ApprovalName, FoundApproval } from './runs/approvals.ts'
export type { RunOwners } from './runs/run-owners.ts'
export {
  type DamagedRun,
  hasAnswer,
  hasNewMessage,
  type Run,
  type RunEnd,
  type RunStart,
  type StopRequester,
  type TakenRun,
} from './runs/runs.ts'
export { assertNode } from './sqlite/assert-node.ts'
