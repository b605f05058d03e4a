import type { ChatKey } from '@throughline/protocol'
import { z } from 'zod'
import type { SizedOutline } from './load-parts.ts'
import { outlineFrom } from './message-rows.ts'
import type { MessageTreeSql } from './message-tree-sql.ts'
import { messageRow } from './schema.ts'
import type { Sql } from './sql.ts'

/** How much of a branch is read. */
export interface BranchLimits {
  /** The greatest number of messages, without those of sub-agents. */
  readonly maxMessages: number
  /** The greatest size of their parts together, in bytes of JSON. The newest message is read in any case. */
  readonly maxBytes: number
}

/** Reads messages of a chat with the statements of its database. */
export interface Tree {
  readonly sql: Sql
  readonly select: MessageTreeSql
}

/** Which branch is wanted: that of the message with this id. */
export interface AskedBranch {
  readonly chat: ChatKey
  readonly id: string
  readonly limits: BranchLimits
}

/** The messages of a branch without their parts, newest first. */
export interface BranchRows {
  readonly rows: readonly SizedOutline[]
  readonly hasOlder: boolean
}

/**
 * Reads a branch whose messages are among the newest of the chat before it, as in nearly every chat. Returns `undefined`
 * when the branch leaves them: then a recursion in the database must find it. That costs several times as much, because
 * each of its steps looks for one row.
 */
export async function straightBranch(
  { sql, select }: Tree,
  { chat: { ownerId, chatId }, id, limits }: AskedBranch,
): Promise<BranchRows | undefined> {
  // One row more than wanted shows whether there are older messages.
  const most = limits.maxMessages + 1
  const [starts, [row] = []] = await sql.read([
    { sql: select.start, sets: [[ownerId, chatId, id]] },
    { sql: select.recent, sets: [[ownerId, chatId, ownerId, chatId, id, most]] },
  ])
  const [start] = z.array(startRow).parse(starts)
  if (start === undefined) return { rows: [], hasOlder: false }
  const listed = recentList.parse(JSON.parse(listRow.parse(row).list))
  const recent = listed.sort((one, other) => (other[3] ?? 0) - (one[3] ?? 0))
  const { role, metadata, seq, bytes } = start
  return walk([id, role, metadata, seq, bytes], { recent, isWhole: recent.length < most }, limits)
}

const startRow = messageRow.extend({ bytes: z.number() })
const listRow = z.object({ list: z.string() })
const { id: idField, role: roleField, metadata: metadataField, seq: seqField } = messageRow.shape
const recentList = z.array(z.tuple([idField, roleField, metadataField, seqField, z.number()]))

/** The id, the role, the metadata, the place and the size of the parts of a message. */
type Listed = z.infer<typeof recentList>[number]

interface Recent {
  /** Newest first. */
  readonly recent: readonly Listed[]
  /** Whether the chat has no message before these. */
  readonly isWhole: boolean
}

/** Goes from a message to the one that it follows, and so on. */
function walk(
  start: Listed,
  { recent, isWhole }: Recent,
  { maxMessages, maxBytes }: BranchLimits,
): BranchRows | undefined {
  const places = new Map(recent.map(([id], place) => [id, place]))
  const rows = [outlined(start)]
  let bytes = start[4]
  let place = -1
  for (let row = rows[0]; row !== undefined; row = rows.at(-1)) {
    const named = row.outline.metadata?.previousMessageId
    if (named === '') break
    const next = named === undefined ? place + 1 : places.get(named)
    // Only a damaged message follows a later one.
    if (next === undefined || next <= place) return undefined
    place = next
    const found = recent[place]
    if (found === undefined) return isWhole ? { rows, hasOlder: false } : undefined
    bytes += found[4]
    if (rows.length >= maxMessages || bytes > maxBytes) return { rows, hasOlder: true }
    rows.push(outlined(found))
  }
  return { rows, hasOlder: false }
}

function outlined([id, role, metadata, , bytes]: Listed): SizedOutline {
  return { outline: outlineFrom({ id, role, metadata }), bytes }
}
