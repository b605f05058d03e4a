import type { ChatKey, Message } from '@throughline/protocol'
import { z } from 'zod'
import type { Dialect } from '../database/dialect.ts'
import type { Sql } from '../database/sql.ts'
import { type MessageOutline, partFrom } from './message-rows.ts'

/** A message without its parts, and their size in bytes, if it is known. */
export interface SizedOutline {
  readonly outline: MessageOutline
  readonly bytes?: number
}

/** Reads the parts of messages. Returns the messages in the same order. */
export type LoadParts = (chat: ChatKey, outlines: readonly SizedOutline[]) => Promise<readonly Message[]>

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
