import { isRecord, type Message, type MessageMetadata, type Part } from '@throughline/protocol'
import { parseJson } from '@throughline/protocol/internal'
import type { Schema } from '../database/schema.ts'
import { SqlError } from '../database/sql.ts'

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
export function partFrom(messageId: string, body: string): Part {
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
