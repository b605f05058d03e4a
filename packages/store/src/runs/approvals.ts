import { type ChatKey, isChatId, isRunId, type OwnerId, type RunId } from '@throughline/protocol'
import { insertedOnce, succeeds } from '../database/confirmed-writes.ts'
import { chatColumns, readRows, type StoreDatabase, statement } from '../database/database.ts'
import { approvalRow, type Schema } from '../database/schema.ts'
import { SqlError } from '../database/sql.ts'

/**
 * A tool call that waits, or waited, for something from outside. It belongs to one call with one input, and can be settled
 * once.
 */
export interface ApprovalRecord extends ChatKey {
  readonly id: string
  /** What the call waits for. Default: `approval`. */
  readonly kind?: ApprovalKind | undefined
  readonly runId: RunId
  readonly messageId: string
  readonly toolCallId: string
  readonly toolName: string
  readonly inputHash: string
  readonly createdAt: string
}

/** Names an approval. */
export type ApprovalName = Pick<ApprovalRecord, 'ownerId' | 'id'>

/** What a call waits for. `approval`: a decision. `output`: its output from a client. `question`: its output from a person. */
export type ApprovalKind = Schema['approvals']['kind']

/** The call that a record belongs to. */
export interface NamedCall extends ChatKey {
  /** The message of the agent that made the call. */
  readonly messageId: string
  /** The id of the call on the stream. */
  readonly toolCallId: string
}

/** `pending`: nobody has decided yet. `answered`: the call has got its output. `expired`: nobody decided in time. `void`: the run ended before a decision. */
export type ApprovalStatus = Schema['approvals']['status']

/** An approval's chat, run and call, and its status. */
export interface FoundApproval
  extends Pick<
    ApprovalRecord,
    'id' | 'chatId' | 'runId' | 'kind' | 'messageId' | 'toolCallId' | 'inputHash'
  > {
  readonly status: ApprovalStatus
  /** Why the person decided so, if they said why. */
  readonly reason: string | undefined
  /** The output that the call got, as JSON. */
  readonly answer: string | undefined
}

/** The records of requests for approval. */
export interface Approvals {
  /** Saves a new approval, which nobody has decided yet. */
  open(approval: ApprovalRecord): Promise<void>
  /** Returns `undefined` when this owner has no such approval. */
  find(ownerId: OwnerId, id: string): Promise<FoundApproval | undefined>
  /** Returns the requests for outputs that belong to a call, the newest first. */
  outputsOfCall(call: NamedCall): Promise<readonly FoundApproval[]>
  /** Returns the requests for outputs that belong to a run. */
  outputsOfRun(ownerId: OwnerId, runId: RunId): Promise<readonly FoundApproval[]>
  /** Returns the question of a chat that was answered with this as its `reason`, such as the id of a message. */
  answeredBy(chat: ChatKey, reason: string): Promise<FoundApproval | undefined>
  /** Returns those of the approvals that this owner has. One query, for any number of ids. */
  findAll(ownerId: OwnerId, ids: readonly string[]): Promise<readonly FoundApproval[]>
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
      readonly answer?: string | undefined
      readonly at: string
    },
  ): Promise<boolean>
}

/** Returns the approvals in a database. */
export function createApprovals(database: StoreDatabase): Approvals {
  const { build, sql } = database
  return {
    ...approvalFinder(database),

    async open(approval) {
      const row = rowOf(approval)
      await insertedOnce(() => sql.write([statement(build.insertInto('approvals').values(row))]))
    },

    settle(ownerId, id, { status, reason, answer, at }) {
      const update = build
        .updateTable('approvals')
        .set({ status, reason: reason ?? null, answer: answer ?? null, settled_at: at })
        .where('owner_id', '=', ownerId)
        .where('id', '=', id)
        .where('status', '=', 'pending')
      return succeeds(
        'no-effect',
        () => sql.write([statement(update, { mustChange: true })]),
        async () => {
          const query = selectApprovals(database, ownerId)
            .where('id', '=', id)
            .where('status', '=', status)
            .where('settled_at', '=', at)
          return (await readRows(database, query, approvalRow)).length > 0
        },
      )
    },
  }
}

function selectApprovals({ build }: StoreDatabase, ownerId: OwnerId) {
  return build.selectFrom('approvals').selectAll().where('owner_id', '=', ownerId)
}

/** Returns what reads the approvals in a database. */
function approvalFinder(database: StoreDatabase): Omit<Approvals, 'open' | 'settle'> {
  const { dialect } = database
  const selectNamed = `select approvals.* from ${dialect.textRows(['owner_id', 'id'])} as named
    join approvals on approvals.owner_id = named.owner_id and approvals.id = named.id`
  const namedIn = async (named: readonly ApprovalName[], condition = '') => {
    if (named.length === 0) return []
    const names = JSON.stringify(named.map(({ ownerId, id }) => [ownerId, id]))
    const rows = await readRows(database, { sql: selectNamed + condition, sets: [[names]] }, approvalRow)
    return rows.map(foundFrom)
  }
  const approvalsOf = (ownerId: OwnerId) => selectApprovals(database, ownerId)
  const foundWith = async (query: ReturnType<typeof approvalsOf>) =>
    (await readRows(database, query, approvalRow)).map(foundFrom)
  return {
    async find(ownerId, id) {
      const [found] = await foundWith(approvalsOf(ownerId).where('id', '=', id))
      return found
    },

    async outputsOfCall({ ownerId, chatId, messageId, toolCallId }) {
      const query = approvalsOf(ownerId)
        .where('chat_id', '=', chatId)
        .where('message_id', '=', messageId)
        .where('tool_call_id', '=', toolCallId)
        .where('kind', '<>', 'approval')
        .orderBy('created_at', 'desc')
      return foundWith(query)
    },

    outputsOfRun: (ownerId, runId) =>
      foundWith(approvalsOf(ownerId).where('run_id', '=', runId).where('kind', '<>', 'approval')),

    async answeredBy({ ownerId, chatId }, reason) {
      const query = approvalsOf(ownerId)
        .where('chat_id', '=', chatId)
        .where('kind', '=', 'question')
        .where('status', '=', 'answered')
        .where('reason', '=', reason)
      const [found] = await foundWith(query)
      return found
    },

    async pending(ownerId, runId) {
      const found = await foundWith(
        approvalsOf(ownerId).where('run_id', '=', runId).where('status', '=', 'pending'),
      )
      return new Set(found.map(({ id }) => id))
    },

    settled: named => namedIn(named, " where approvals.status <> 'pending'"),

    findAll: (ownerId, ids) => namedIn(ids.map(id => ({ ownerId, id }))),
  }
}

function rowOf(approval: ApprovalRecord): Schema['approvals'] {
  return {
    ...chatColumns(approval),
    id: approval.id,
    run_id: approval.runId,
    message_id: approval.messageId,
    tool_call_id: approval.toolCallId,
    tool_name: approval.toolName,
    input_hash: approval.inputHash,
    status: 'pending',
    reason: null,
    created_at: approval.createdAt,
    settled_at: null,
    kind: approval.kind ?? 'approval',
    answer: null,
  }
}

function foundFrom(row: Schema['approvals']): FoundApproval {
  const { id, chat_id: chatId, run_id: runId, kind, status } = row
  if (isChatId(chatId) && isRunId(runId))
    return {
      id,
      chatId,
      runId,
      kind,
      messageId: row.message_id,
      toolCallId: row.tool_call_id,
      inputHash: row.input_hash,
      status,
      reason: row.reason ?? undefined,
      answer: row.answer ?? undefined,
    }
  throw new SqlError('damaged', `The row of approval "${id}" is damaged.`)
}

/** Part of the end of a run: its approvals that still wait become void. */
export function voidApprovals(
  { build }: StoreDatabase,
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
