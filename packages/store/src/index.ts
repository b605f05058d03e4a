// The entry point `@throughline/store`.

export type { FoundApproval } from './approvals.ts'
export type { MessageChanges } from './change-messages.ts'
export type { ChannelChat } from './channel-chats.ts'
export type { ChatRecord } from './chats.ts'
export type { DefinitionDraft, DefinitionKey, Definitions, StoredDefinition } from './definitions.ts'
export type { Files, MessageFile, StoredFile } from './files.ts'
export type { MessageOutline } from './messages.ts'
export { openStore, type Store } from './open-store.ts'
export { type DamagedRun, hasAnswer, hasNewMessage, type Run, type RunEnd } from './runs.ts'
export { SqlError } from './sql.ts'
export { assertNode } from './sqlite/assert-node.ts'
export type { StoreHealth } from './store-health.ts'
