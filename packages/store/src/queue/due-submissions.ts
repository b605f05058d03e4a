import { type ChatKey, isChatId, isOwnerId } from '@throughline/protocol'
import { sql } from 'kysely'
import { confirmed } from '../database/confirmed-writes.ts'
import { running, type StoreDatabase, statement } from '../database/database.ts'
import type { SqlRow } from '../database/sql.ts'

/** Chats in which submissions wait. */
export interface DueChats {
  readonly chats: readonly ChatKey[]
  /** Rows that do not name a chat. They must be removed, otherwise they are found again each time. */
  readonly damaged: readonly DamagedSubmission[]
}

/** The row of a waiting submission that does not name a chat. */
export interface DamagedSubmission {
  /** Names the row in its table. */
  readonly rowName: string
  /** What the row has as its ids, for people to read. */
  readonly named: { readonly ownerId: string; readonly chatId: string; readonly messageId: string }
}

/** Reads chats of any owner in which submissions wait although no run goes on, the longest wait first. */
export async function readDue(database: StoreDatabase, limit: number): Promise<DueChats> {
  const [rows = []] = await database.sql.read([statement(dueQuery(database).limit(limit))])
  const chats = rows.flatMap(row => chatOf(row) ?? [])
  return {
    chats: [...new Map(chats.map(chat => [`${chat.ownerId}/${chat.chatId}`, chat])).values()],
    damaged: rows.filter(row => chatOf(row) === undefined).map(damagedFrom),
  }
}

/** Removes a row that does not name a chat. */
export async function removeDamaged(
  { sql: database, dialect }: StoreDatabase,
  { rowName, named }: DamagedSubmission,
): Promise<void> {
  // Another node may have removed the row before, and a new row may have its name by now. That one has another id.
  const remove = `delete from waiting_submissions where ${dialect.isRow('waiting_submissions')} and id = ?`
  await confirmed(() => database.write([{ sql: remove, sets: [[rowName, named.messageId]] }]))
}

/** Selects what waits in chats without a run. */
function dueQuery({ build, dialect }: StoreDatabase) {
  return build
    .selectFrom('waiting_submissions')
    .select([
      'owner_id',
      'chat_id',
      'id',
      sql.raw<string>(dialect.rowName('waiting_submissions')).as('row_name'),
    ])
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('runs')
            .select('runs.id')
            .whereRef('runs.owner_id', '=', 'waiting_submissions.owner_id')
            .whereRef('runs.chat_id', '=', 'waiting_submissions.chat_id')
            .where('runs.status', '=', running),
        ),
      ),
    )
    .orderBy('created_at')
}

function chatOf({ owner_id: ownerId, chat_id: chatId }: SqlRow): ChatKey | undefined {
  return isOwnerId(ownerId) && isChatId(chatId) ? { ownerId, chatId } : undefined
}

function damagedFrom({ owner_id, chat_id, id, row_name }: SqlRow): DamagedSubmission {
  const named = { ownerId: String(owner_id), chatId: String(chat_id), messageId: String(id) }
  return { rowName: String(row_name), named }
}
