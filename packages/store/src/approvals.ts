import { type ChatKey, isChatId, isRunId, type OwnerId, type RunId } from '@throughline/protocol'
import { insertedOnce, succeeds } from './confirmed-writes.ts'
import { approvalRow, chatColumns, type Database, readRows, type Schema, statement } from './schema.ts'
import { SqlError } from './sql.ts'

/**
 * A tool call that waits, or waited, for a person's decision. It belongs to one call with one input, and can be decided
 * once.
 */
export interface Approval extends ChatKey {
  readonly id: string
  readonly runId: RunId
  readonly messageId: string
  readonly toolCallId: string
  readonly toolName: string
  readonly inputHash: string
  readonly createdAt: string
}

/** Names an approval. */
export type ApprovalName = Pick<Approval, 'ownerId' | 'id'>

/** `pending`: nobody has decided yet. `expired`: nobody decided in time. `void`: the run ended before a decision. */
export type ApprovalStatus = Schema['approvals']['status']

/** An approval's chat and run, and its status. */
export interface FoundApproval extends Pick<Approval, 'id' | 'chatId' | 'runId'> {
  readonly status: ApprovalStatus
  /** Why the person decided so, if they said why. */
  readonly reason: string | undefined
}

/** The records of requests for approval. */
export interface Approvals {
  /** Saves a new approval, which nobody has decided yet. */
  open(approval: Approval): Promise<void>
  /** Returns `undefined` when this owner has no such approval. */
  find(ownerId: OwnerId, id: string): Promise<FoundApproval | undefined>
  /** Returns the ids of the approvals of a run that nobody has decided yet. */
  pending(ownerId: OwnerId, runId: RunId): Promise<ReadonlySet<string>>
  /** Returns those of the named approvals, which may have different owners, that do not wait any more. */
  settled(named: readonly ApprovalName[]): Promise<readonly FoundApproval[]>
  /** Ends an approval that waits. Returns false when it did not wait, or not any more. */
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

/** Returns the approvals in a database. */
export function createApprovals(database: Database): Approvals {
  const { build, sql, dialect } = database
  const selectSettled = `select approvals.* from ${dialect.textRows(['owner_id', 'id'])} as named
    join approvals on approvals.owner_id = named.owner_id and approvals.id = named.id
    where approvals.status <> 'pending'`
  const approvalsOf = (ownerId: OwnerId) =>
    build.selectFrom('approvals').selectAll().where('owner_id', '=', ownerId)
  return {
    async open(approval) {
      const row = {
        ...chatColumns(approval),
        id: approval.id,
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
      await insertedOnce(() => sql.write([statement(build.insertInto('approvals').values(row))]))
    },

    async find(ownerId, id) {
      const [row] = await readRows(database, approvalsOf(ownerId).where('id', '=', id), approvalRow)
      return row === undefined ? undefined : foundFrom(row)
    },

    async pending(ownerId, runId) {
      const query = approvalsOf(ownerId).where('run_id', '=', runId).where('status', '=', 'pending')
      return new Set((await readRows(database, query, approvalRow)).map(({ id }) => id))
    },

    async settled(named) {
      if (named.length === 0) return []
      const names = JSON.stringify(named.map(({ ownerId, id }) => [ownerId, id]))
      return (await readRows(database, { sql: selectSettled, sets: [[names]] }, approvalRow)).map(foundFrom)
    },

    settle(ownerId, id, { status, reason, at }) {
      const update = build
        .updateTable('approvals')
        .set({ status, reason: reason ?? null, settled_at: at })
        .where('owner_id', '=', ownerId)
        .where('id', '=', id)
        .where('status', '=', 'pending')
      return succeeds(
        'no-effect',
        () => sql.write([statement(update, { mustChange: true })]),
        async () => {
          const query = approvalsOf(ownerId)
            .where('id', '=', id)
            .where('status', '=', status)
            .where('settled_at', '=', at)
          return (await readRows(database, query, approvalRow)).length > 0
        },
      )
    },
  }
}

function foundFrom(row: Schema['approvals']): FoundApproval {
  const { id, chat_id: chatId, run_id: runId, status, reason } = row
  if (isChatId(chatId) && isRunId(runId)) return { id, chatId, runId, status, reason: reason ?? undefined }
  throw new SqlError('damaged', `The row of approval "${id}" is damaged.`)
}

/** Part of the end of a run: its approvals that still wait become void. */
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
