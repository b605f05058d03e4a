import { isChatId, isMessageId, isOwnerId, isRunId } from '@throughline/protocol'
import type { Run } from './runs.ts'
import { chatColumns, type Schema } from './schema.ts'
import { SqlError } from './sql.ts'

/** Returns the row of a new run, without its node and its context. */
export function rowOf(run: Run): Omit<Schema['runs'], 'node_id' | 'context'> {
  return {
    ...chatColumns(run),
    id: run.id,
    agent: run.agent,
    user_message_id: run.userMessageId,
    answer_id: run.answerId,
    status: run.status,
    after_seq: run.afterSeq,
    started_at: run.startedAt,
    kind: run.kind,
    attempt: run.attempt ?? 0,
    ended_at: null,
    usage: null,
    stop_requested_at: null,
    stop_requested_by: null,
    sent_digest: run.sentDigest ?? null,
  }
}

/** Returns the run of a row. Throws when the row is damaged. */
export function runFrom(row: Schema['runs']): Run {
  const { id, owner_id, chat_id, user_message_id, answer_id } = row
  if (
    !isRunId(id) ||
    !isOwnerId(owner_id) ||
    !isChatId(chat_id) ||
    !isMessageId(user_message_id) ||
    !isMessageId(answer_id)
  ) {
    throw new SqlError('damaged', `The row of run "${id}" is damaged. Restore the database from a backup.`)
  }
  return {
    id,
    ownerId: owner_id,
    chatId: chat_id,
    agent: row.agent,
    userMessageId: user_message_id,
    answerId: answer_id,
    afterSeq: row.after_seq,
    startedAt: row.started_at,
    status: row.status,
    kind: row.kind,
    ...(row.attempt === 0 ? {} : { attempt: row.attempt }),
    ...(row.stop_requested_by === null ? {} : { stopRequestedBy: row.stop_requested_by }),
    ...(row.sent_digest === null ? {} : { sentDigest: row.sent_digest }),
  }
}
