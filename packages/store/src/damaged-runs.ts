import { isChatId, isMessageId, isOwnerId, isRunId } from '@throughline/protocol'
import type { Dialect } from './dialect.ts'
import { runFrom } from './run-record.ts'
import type { DamagedRun, Run } from './runs.ts'
import { runRow } from './schema.ts'
import type { SqlRow, Statement } from './sql.ts'

/** Reads every unfinished run, with the name of its row, and with what its chat has saved of the log. */
export function selectUnfinished({ rowName }: Dialect): Statement {
  return {
    sql: `select ${rowName('runs')} as row_name, chats.saved_seq as saved_seq, runs.* from runs
      left join chats on chats.owner_id = runs.owner_id and chats.id = runs.chat_id
      where runs.status = 'running' and chats.removed_at is null`,
    sets: [[]],
  }
}

/** Returns the run of a row; `undefined` when the row is damaged. */
export function readableRun(row: SqlRow): Run | undefined {
  const { success, data } = runRow.safeParse(row)
  if (!success) return undefined
  try {
    return runFrom(data)
  } catch {
    return undefined
  }
}

/** Returns what can be read of a damaged row. */
export function damagedRun(row: SqlRow): DamagedRun {
  const { id, owner_id: ownerId, chat_id: chatId, user_message_id, answer_id, saved_seq, row_name } = row
  const isInChat = isOwnerId(ownerId) && isChatId(chatId) && typeof saved_seq === 'number'
  return {
    rowName: String(row_name),
    named: { runId: String(id), chatId: String(chatId) },
    id: isRunId(id) ? id : undefined,
    chat: isInChat ? { ownerId, chatId } : undefined,
    userMessageId: isMessageId(user_message_id) ? user_message_id : undefined,
    answerId: isMessageId(answer_id) ? answer_id : undefined,
    agent: String(row['agent']),
    savedSeq: Number(saved_seq ?? 0),
  }
}
