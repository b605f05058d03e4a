import type { ChatId, OwnerId, RunId } from '@throughline/protocol/ids'
import { approvalRow, type Database, readRows, type Schema, statement } from './schema.ts'
import { succeeds } from './sql.ts'

/** A tool call that waits, or waited, for a person. Bound to the call and the hash of its input; used once. */
export interface Approval {
  readonly id: string
  readonly ownerId: OwnerId
  readonly chatId: ChatId
  readonly runId: RunId
  readonly messageId: string
  readonly toolCallId: string
  readonly toolName: string
  readonly inputHash: string
  readonly createdAt: string
}

export type ApprovalStatus = Schema['approvals']['status']

export interface Approvals {
  open(approval: Approval): Promise<void>
  /** The status of a request; `undefined` when this owner has no such request. */
  status(ownerId: OwnerId, id: string): Promise<ApprovalStatus | undefined>
  /** Answers a request that waits; false when it does not wait (any more). */
  settle(
    ownerId: OwnerId,
    id: string,
    end: {
      readonly status: Exclude<ApprovalStatus, 'pending'>
      readonly reason?: string | undefined
      readonly at: string
    },
  ): Promise<boolean>
}

export function createApprovals(database: Database): Approvals {
  const { build, sql } = database
  return {
    async open(approval) {
      const row = {
        owner_id: approval.ownerId,
        id: approval.id,
        chat_id: approval.chatId,
        run_id: approval.runId,
        message_id: approval.messageId,
        tool_call_id: approval.toolCallId,
        tool_name: approval.toolName,
        input_hash: approval.inputHash,
        status: 'pending' as const,
        reason: null,
        created_at: approval.createdAt,
        settled_at: null,
      }
      await sql.write([statement(build.insertInto('approvals').values(row))])
    },

    async status(ownerId, id) {
      const query = build
        .selectFrom('approvals')
        .selectAll()
        .where('owner_id', '=', ownerId)
        .where('id', '=', id)
      const [row] = await readRows(database, query, approvalRow)
      return row?.status
    },

    settle(ownerId, id, { status, reason, at }) {
      const update = build
        .updateTable('approvals')
        .set({ status, reason: reason ?? null, settled_at: at })
        .where('owner_id', '=', ownerId)
        .where('id', '=', id)
        .where('status', '=', 'pending')
      return succeeds('no-effect', () => sql.write([statement(update, { mustChange: true })]))
    },
  }
}

/** Part of a run's end: what still waits is void. */
export function voidApprovals(
  { build }: Database,
  run: { readonly ownerId: OwnerId; readonly id: RunId },
  at: string,
) {
  return build
    .updateTable('approvals')
    .set({ status: 'void', settled_at: at })
    .where('owner_id', '=', run.ownerId)
    .where('run_id', '=', run.id)
    .where('status', '=', 'pending')
}
