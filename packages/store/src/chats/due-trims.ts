import { type ChatKey, isChatId, isOwnerId } from '@throughline/protocol'
import { z } from 'zod'
import type { StoreDatabase } from '../database/database.ts'
import type { Dialect } from '../database/dialect.ts'
import { SqlError } from '../database/sql.ts'
import type { ChatRemovals } from './chat-removals.ts'

/** Which entries of logs are no longer needed. */
export interface TrimRules {
  /** Entries of runs that ended before this time, in ISO format. Without it, age does not matter. */
  readonly endedBefore?: string | undefined
  /** The newest entries of each log that are kept. The newest run is kept whole. Without it, all are kept. */
  readonly maxEntries?: number | undefined
}

/** The entries of a chat's log that can be forgotten: all up to the number `upTo`. */
export interface DueTrim extends ChatKey {
  readonly upTo: number
}

/** Some of the chats, and what can be trimmed in them. */
export interface TrimPage {
  readonly trims: readonly DueTrim[]
  /** The last chat that was looked at. Pass it as `after`. `undefined` at the end. */
  readonly last: ChatKey | undefined
}

/** Finds the entries of logs that can be trimmed. */
export interface DueTrims {
  /**
   * Looks at some chats after a chat. Only whole runs that have ended are named, and only what the saved messages contain
   * and the channel of the chat has delivered.
   */
  find(rules: TrimRules, after?: ChatKey): Promise<TrimPage>
}

const pageSize = 50

/** Returns what can be trimmed in a database. */
export function createDueTrims(
  { sql, dialect }: StoreDatabase,
  removals: Pick<ChatRemovals, 'has'>,
): DueTrims {
  const select = dueSql(dialect)
  return {
    async find({ endedBefore, maxEntries }, after) {
      const [rows] = await sql.read([
        {
          sql: select,
          sets: [[endedBefore ?? '', maxEntries ?? -1, after?.ownerId ?? '', after?.chatId ?? '']],
        },
      ])
      const chats = z.array(dueRow).parse(rows).map(dueFrom)
      return {
        trims: chats.filter(chat => chat.upTo > chat.trimmed && !removals.has(chat)),
        last: chats.length < pageSize ? undefined : chats.at(-1),
      }
    },
  }
}

const dueRow = z.object({
  owner_id: z.string(),
  id: z.string(),
  trimmed: z.number(),
  /** The last entry that the saved messages contain. */
  saved_seq: z.number(),
  /** All entries of the newest run come after this one. */
  newest_after: z.number().nullable(),
  /** All entries of runs that go on, or are too young, come after this one. */
  young_after: z.number().nullable(),
  /** All entries of runs that go on, or are among the newest entries, come after this one. */
  recent_after: z.number().nullable(),
  /** The channel has everything up to this entry. Null when the chat is in no channel. */
  delivered: z.number().nullable(),
})

function dueFrom(row: z.infer<typeof dueRow>): DueTrim & { readonly trimmed: number } {
  const { owner_id: ownerId, id: chatId, trimmed } = row
  if (!isOwnerId(ownerId) || !isChatId(chatId))
    throw new SqlError('failed', `The row of chat "${chatId}" is damaged.`)
  const byAge = row.young_after ?? row.saved_seq
  const byCount = row.recent_after ?? row.newest_after ?? 0
  const upTo = Math.min(Math.max(byAge, byCount), row.saved_seq, row.delivered ?? row.saved_seq)
  return { ownerId, chatId, trimmed, upTo }
}

// An empty `ended_before` is before every time, so every run is too young. A `max_entries` below 0 means all entries.
function dueSql({ delivered }: Dialect): string {
  return `with rules (ended_before, max_entries, owner_id, chat_id) as (
    select cast(? as text), cast(? as bigint), cast(? as text), cast(? as text))
  select chats.owner_id, chats.id, chats.saved_seq, logs.trimmed,
    (select max(after_seq) from runs
      where runs.owner_id = chats.owner_id and runs.chat_id = chats.id) as newest_after,
    (select min(after_seq) from runs
      where runs.owner_id = chats.owner_id and runs.chat_id = chats.id
        and (ended_at is null or ended_at >= ended_before)) as young_after,
    (select min(after_seq) from runs
      where runs.owner_id = chats.owner_id and runs.chat_id = chats.id
        and (ended_at is null or max_entries < 0 or after_seq >= chats.saved_seq - max_entries)) as recent_after,
    (select ${delivered} from channel_chats
      where channel_chats.owner_id = chats.owner_id and channel_chats.chat_id = chats.id) as delivered
  from rules, chats join logs on logs.name = chats.owner_id || '/' || chats.id
  where chats.removed_at is null and (chats.owner_id, chats.id) > (rules.owner_id, rules.chat_id)
  order by chats.owner_id, chats.id limit ${pageSize}`
}
