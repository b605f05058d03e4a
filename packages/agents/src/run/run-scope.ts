import type { Chunk } from '@throughline/protocol/chunk'
import type { ChatId, MessageId, OwnerId, RunId } from '@throughline/protocol/ids'
import type { SubAgentRegistry } from '../delegation/sub-agent-registry.ts'
import type { HideSecrets } from '../errors/hide-secrets.ts'
import type { ApprovalDesk } from './approval-desk.ts'
import type { Limits } from './limits.ts'
import type { RequestContext } from './request-context.ts'
import type { RunStopped } from './run-stopped.ts'
import type { ToolFactoryRegistry } from './tool-factory-registry.ts'

/** What all agents of one run share. Made by whoever runs them. */
export interface RunScope {
  readonly ownerId: OwnerId
  readonly chatId: ChatId
  readonly runId: RunId
  readonly context: RequestContext
  readonly subAgents: SubAgentRegistry
  readonly tools: ToolFactoryRegistry
  /** The tools the user may have used; without it, all. */
  readonly permittedTools?: ReadonlySet<string> | undefined
  readonly limits: Limits
  /** Covers the secrets of this server in what tools return. */
  readonly hideSecrets?: HideSecrets | undefined
  readonly approvals: ApprovalDesk
  readonly counts: RunCounts
  now(): Date
  /** An id that no message of the chat has. */
  newMessageId(): Promise<MessageId>
  /** Puts a chunk of a message into the log; resolves when there is room for the next. */
  emit(messageId: MessageId, chunk: Chunk): Promise<void>
  /** Saves a sub-agent's message, which has ended. */
  save(messageId: MessageId): Promise<void>
  /** Keeps a file of this chat, and answers the address under which its owner can read it. */
  keepFile(file: { readonly mediaType: string; readonly bytes: Uint8Array }): Promise<string>
  /** Called once when the run has ended, however it ended. */
  onEnd(cleanUp: () => Promise<void>): void
  /** Ends the whole run. */
  stop(reason: RunStopped): void
}

/** What a run has used up so far; changed in place by whoever uses it. */
export interface RunCounts {
  children: number
  steps: number
  outputBytes: number
  toolOutputBytes: number
}

export function noCounts(): RunCounts {
  return { children: 0, steps: 0, outputBytes: 0, toolOutputBytes: 0 }
}
