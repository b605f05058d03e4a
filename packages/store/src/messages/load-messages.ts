import type { ChatKey, Message } from '@throughline/protocol'
import type { ConcurrencyLimit } from '@throughline/protocol/internal'
import { z } from 'zod'
import type { StoreDatabase } from '../database/database.ts'
import type { Dialect } from '../database/dialect.ts'
import { messageRow, partRow } from '../database/schema.ts'
import type { Statement } from '../database/sql.ts'
import { messageFromRow } from './message-rows.ts'

/** The saved messages of a chat, and the last entry of its log that they contain. */
export interface SavedMessages {
  readonly messages: readonly SavedMessage[]
  readonly savedSeq: number
}

/** A message, and the run that it belongs to. */
export interface SavedMessage {
  readonly message: Message
  readonly runId: string
}

/** How many messages are looked up at once. */
const sliceLength = 64
/** How large the parts are that are read at once, in bytes. A message with larger parts is read alone. */
const groupBytes = 256 * 1024

interface Loading extends Pick<StoreDatabase, 'sql' | 'dialect'> {
  readonly inTurn: ConcurrencyLimit
}

/**
 * Reads all messages of a chat in slices, so that a long chat delays nobody else. Returns `undefined` when there is no
 * such chat.
 *
 * The ids of all messages are read at one moment, together with `savedSeq`. Everything else may be read later: the parts
 * of a saved message never change. Metadata that changes in between, and messages that are deleted, are no problem. The
 * log has entries after `savedSeq` for them, and folding such an entry twice is harmless.
 */
export async function loadMessages(loading: Loading, chat: ChatKey): Promise<SavedMessages | undefined> {
  const [[record] = [], [all] = []] = await loading.sql.read([
    savedStatement(chat),
    { sql: idsSql(loading.dialect), sets: [[chat.ownerId, chat.chatId]] },
  ])
  if (record === undefined) return undefined
  const ids = z.array(z.string()).parse(JSON.parse(z.string().parse(all?.['ids'])))
  const messages: SavedMessage[] = []
  for (let start = 0; start < ids.length; start += sliceLength) {
    const slice = ids.slice(start, start + sliceLength)
    for (const group of await groupsOf(loading, chat, slice)) {
      const read = await readGroup(loading, chat, group)
      // The chat was removed in the meantime.
      if (read === undefined) return undefined
      for (const saved of read) messages.push(saved)
    }
  }
  return { messages, savedSeq: z.number().parse(record['saved_seq']) }
}

/** Selects the last entry of the log that the saved messages contain. Selects no row when there is no such chat. */
export function savedStatement({ ownerId, chatId }: ChatKey): Statement {
  return { sql: savedSql, sets: [[ownerId, chatId]] }
}

type Row = z.infer<typeof rowWithSize>

/** Reads the rows of some messages, in groups whose parts can be read at once. */
async function groupsOf(
  { sql, inTurn }: Loading,
  chat: ChatKey,
  ids: readonly string[],
): Promise<readonly Row[][]> {
  const sets = ids.map(id => [chat.ownerId, chat.chatId, id])
  const [rows] = await inTurn(() => sql.read([{ sql: rowSql, sets }]))
  const groups: Row[][] = []
  let room = 0
  for (const row of z.array(rowWithSize).parse(rows)) {
    room -= row.bytes
    const group = groups.at(-1)
    if (group !== undefined && room >= 0) group.push(row)
    else {
      groups.push([row])
      room = groupBytes - row.bytes
    }
  }
  return groups
}

async function readGroup(
  { sql, inTurn }: Loading,
  chat: ChatKey,
  group: readonly Row[],
): Promise<readonly SavedMessage[] | undefined> {
  const sets = group.map(row => [chat.ownerId, chat.chatId, row.id])
  const [parts, saved = []] = await inTurn(() => sql.read([{ sql: partsSql, sets }, savedStatement(chat)]))
  if (saved.length === 0) return undefined
  const partsById = Map.groupBy(z.array(partRow).parse(parts), part => part.message_id)
  return group.map(row => ({ message: messageFromRow(row, partsById.get(row.id) ?? []), runId: row.run_id }))
}

const rowWithSize = messageRow.extend({ bytes: z.number() })

const savedSql = 'select saved_seq from chats where owner_id = ? and id = ? and removed_at is null'
// The user message of a run that goes on has no place yet. There is at most one, and it comes last.
function idsSql({ jsonList }: Dialect): string {
  return `select ${jsonList('id', 'seq is null, seq')} as ids from messages where owner_id = ? and chat_id = ?`
}

const rowSql = `select *, (
    select coalesce(sum(octet_length(parts.body)), 0) from parts
    where parts.owner_id = messages.owner_id and parts.chat_id = messages.chat_id and parts.message_id = messages.id
  ) as bytes from messages where owner_id = ? and chat_id = ? and id = ?`

/** Selects the parts of one message. */
export const partsSql =
  'select * from parts where owner_id = ? and chat_id = ? and message_id = ? order by idx'
