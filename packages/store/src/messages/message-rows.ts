import { type ChatKey, isRecord, type Message, type MessageMetadata, type Part } from '@throughline/protocol'
import { parseJson } from '@throughline/protocol/internal'
import { z } from 'zod'
import type { Dialect } from '../database/dialect.ts'
import type { Schema } from '../database/schema.ts'
import { type Sql, SqlError } from '../database/sql.ts'

/** A message without its parts. */
export type MessageOutline = Omit<Message, 'parts'>

/** Returns the message of a row, with the parts of its part rows. Throws an `SqlError` when a row is damaged. */
export function messageFromRow(
  row: Schema['messages'],
  parts: readonly Pick<Schema['parts'], 'body'>[],
): Message {
  const { id, role, ...rest } = outlineFrom(row)
  return { id, role, parts: parts.map(({ body }) => partFrom(id, body)), ...rest }
}

/** Returns the message of a row, without its parts. Throws an `SqlError` when the row is damaged. */
export function outlineFrom({
  id,
  role,
  metadata: json,
}: Pick<Schema['messages'], 'id' | 'role' | 'metadata'>): MessageOutline {
  const metadata = parseJson(json)
  if (!isMetadata(metadata)) throw damaged(id)
  return Object.keys(metadata).length === 0 ? { id, role } : { id, role, metadata }
}

/** Returns the part of a row. Throws an `SqlError` when the row is damaged. */
function partFrom(messageId: string, body: string): Part {
  const part = parseJson(body)
  if (!isPart(part)) throw damaged(messageId)
  return part
}

// `saveMessage` wrote the rows, so it is enough to recognise damaged ones. A stricter check could make a whole chat
// unreadable because of one odd field.
function isPart(value: unknown): value is Part {
  return isRecord(value) && typeof value['type'] === 'string'
}

function isMetadata(value: unknown): value is MessageMetadata {
  return isRecord(value)
}

function damaged(messageId: string): SqlError {
  return new SqlError(
    'damaged',
    `A row of message ${messageId} is damaged. Restore the database from a backup.`,
  )
}

/** A message without its parts, and their size in bytes, if it is known. */
export interface SizedOutline {
  readonly outline: MessageOutline
  readonly bytes?: number
}

/** Reads the parts of messages. Returns the messages in the same order. */
type LoadParts = (chat: ChatKey, outlines: readonly SizedOutline[]) => Promise<readonly Message[]>

/** How large the parts are that are read at once, in bytes. So a long chat delays others only for a moment. */
const groupBytes = 1024 * 1024

const listRow = z.object({ list: z.string() })
/** The id of a message, the index of a part, and its body. */
const partsList = z.array(z.tuple([z.string(), z.number(), z.string()]))

/**
 * Returns a function that reads parts. The parts of many messages come as one list in JSON: a row for each part costs several
 * times as much, in the database and on its way from there.
 */
export function partsLoader(sql: Sql, { jsonRows, textRows }: Dialect): LoadParts {
  // SQLite looks the parts up for each wanted message only with `cross join`.
  const select = `select ${jsonRows(['wanted.message_id', 'idx', 'body'])} as list
    from ${textRows(['message_id'])} wanted cross join parts
    where parts.owner_id = ? and parts.chat_id = ? and parts.message_id = wanted.message_id`

  return async ({ ownerId, chatId }, outlines) => {
    const messages: Message[] = []
    for (const group of inGroups(outlines)) {
      const wanted = JSON.stringify(group.map(({ outline }) => [outline.id]))
      const [[row] = []] = await sql.read([{ sql: select, sets: [[wanted, ownerId, chatId]] }])
      const all = partsList.parse(JSON.parse(listRow.parse(row).list))
      const partsById = Map.groupBy(all, ([id]) => id)
      for (const { outline } of group) {
        const { id, role, ...rest } = outline
        const found = (partsById.get(id) ?? []).sort(([, one], [, other]) => one - other)
        const parts = found.map(([, , body]) => partFrom(id, body))
        messages.push({ id, role, parts, ...rest })
      }
    }
    return messages
  }
}

function inGroups(outlines: readonly SizedOutline[]): readonly SizedOutline[][] {
  const groups: SizedOutline[][] = []
  let room = 0
  for (const each of outlines) {
    const { bytes = 0 } = each
    const group = groups.at(-1)
    room -= bytes
    if (group !== undefined && room >= 0) group.push(each)
    else {
      groups.push([each])
      room = groupBytes - bytes
    }
  }
  return groups
}
