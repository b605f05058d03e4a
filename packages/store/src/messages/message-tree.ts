import type { ChatKey, Message } from '@throughline/protocol'
import { z } from 'zod'
import type { StoreDatabase } from '../database/database.ts'
import { messageRow } from '../database/schema.ts'
import type { Sql, SqlRow } from '../database/sql.ts'
import { outlineFrom, partsLoader, type SizedOutline } from './message-rows.ts'
import { type MessageTreeSql, messageTreeSql } from './message-tree-sql.ts'

/** The newest messages of a branch. */
export interface Branch {
  /** In order. The last one is the message that was asked for. */
  readonly messages: readonly Message[]
  /** Whether the branch has older messages that are not here. */
  readonly hasOlder: boolean
}

/**
 * Reads the tree of a chat's messages, as `branches.ts` of the protocol defines it. Reads only the rows on the way up,
 * so the cost does not grow with the chat. Messages of sub-agents are not in it.
 */
export interface MessageTree {
  /** Returns a message and the newest messages before it on its branch. Empty when there is no such message. */
  branch(chat: ChatKey, id: string, limits: BranchLimits): Promise<Branch>
  /** Returns the messages of sub-agents that stand right after each of these messages, in order, by its id. */
  subAgents(chat: ChatKey, ids: readonly string[]): Promise<ReadonlyMap<string, readonly Message[]>>
  /** Returns the id of the message that a message follows: empty for the first one, `undefined` for an unknown one. */
  previous(chat: ChatKey, id: string): Promise<string | undefined>
  /**
   * Returns the id of the master's message that a sub-agent's message belongs to, and the id itself for any other
   * message. `undefined` for an unknown one. The master's message may not be saved yet.
   */
  root(chat: ChatKey, id: string): Promise<string | undefined>
  /** Returns the id of the last message, or of the last one with this role. Empty when there is none. */
  last(chat: ChatKey, role?: Message['role']): Promise<string>
}

/** Returns the message tree of the chats in a database. */
export function createMessageTree({ sql, dialect }: StoreDatabase): MessageTree {
  const select = messageTreeSql(dialect)
  const loadParts = partsLoader(sql, dialect)
  return {
    async branch(chat, id, limits) {
      const straight = await straightBranch({ sql, select }, { chat, id, limits })
      const { rows, hasOlder } = straight ?? (await anyBranch({ sql, select }, { chat, id, limits }))
      return { messages: await loadParts(chat, rows.toReversed()), hasOlder }
    },

    async subAgents(chat, ids) {
      const [rows] = await sql.read([
        { sql: select.subAgents, sets: ids.map(id => [chat.ownerId, chat.chatId, id]) },
      ])
      const found = z.array(subAgentRow).parse(rows)
      const messages = await loadParts(
        chat,
        found.map(row => ({ outline: outlineFrom(row) })),
      )
      return Map.groupBy(messages, (_, index) => found[index]?.behind ?? '')
    },

    async previous(chat, id) {
      const [[row] = []] = await sql.read([{ sql: select.previous, sets: [[chat.ownerId, chat.chatId, id]] }])
      return row === undefined ? undefined : textFrom(row, 'previous')
    },

    async root(chat, id) {
      const [[top] = []] = await sql.read([{ sql: select.root, sets: [[chat.ownerId, chat.chatId, id]] }])
      return top === undefined ? undefined : textFrom(top, 'root')
    },

    async last(chat, role) {
      const roles = role === undefined ? ['user', 'assistant', 'system'] : [role, role, role]
      const set = [chat.ownerId, chat.chatId, ...roles]
      const [[open] = [], [placed] = []] = await sql.read([
        { sql: select.lastOpen, sets: [set] },
        { sql: select.lastPlaced, sets: [set] },
      ])
      const row = open ?? placed
      return row === undefined ? '' : textFrom(row, 'id')
    },
  }
}

/** Reads a branch, whatever it looks like, with a recursion in the database. */
async function anyBranch(
  { sql, select }: TreeReader,
  { chat, id, limits }: AskedBranch,
): Promise<BranchRows> {
  // One row more than wanted shows whether there are older messages.
  const [found] = await sql.read([
    { sql: select.branch, sets: [[chat.ownerId, chat.chatId, id, limits.maxMessages + 1]] },
  ])
  const rows = withoutCircle(z.array(branchRow).parse(found))
  const chosen = withinLimits(rows, limits)
  const outlined = chosen.map(row => ({ outline: outlineFrom(row), bytes: row.bytes }))
  return { rows: outlined, hasOlder: chosen.length < rows.length }
}

const subAgentRow = messageRow.extend({ behind: z.string() })
const branchRow = messageRow.extend({ bytes: z.number() })
type BranchRow = z.infer<typeof branchRow>

/** Stored messages may be damaged. If they follow each other in a circle, the branch ends where the circle closes. */
function withoutCircle(rows: readonly BranchRow[]): readonly BranchRow[] {
  const seen = new Set<string>()
  const end = rows.findIndex(({ id }) => seen.has(id) || !seen.add(id))
  return end === -1 ? rows : rows.slice(0, end)
}

/** Returns the first rows that stay within the limits. Rows come newest first. */
function withinLimits(
  rows: readonly BranchRow[],
  { maxMessages, maxBytes }: BranchLimits,
): readonly BranchRow[] {
  let bytes = 0
  const end = rows.findIndex((row, index) => {
    bytes += row.bytes
    return index > 0 && (index >= maxMessages || bytes > maxBytes)
  })
  return end === -1 ? rows : rows.slice(0, end)
}

function textFrom(row: SqlRow, column: string): string {
  return z.string().parse(row[column])
}

/** How much of a branch is read. */
interface BranchLimits {
  /** The greatest number of messages, without those of sub-agents. */
  readonly maxMessages: number
  /** The greatest size of their parts together, in bytes of JSON. The newest message is read in any case. */
  readonly maxBytes: number
}

/** Reads messages of a chat with the statements of its database. */
interface TreeReader {
  readonly sql: Sql
  readonly select: MessageTreeSql
}

/** Which branch is wanted: that of the message with this id. */
interface AskedBranch {
  readonly chat: ChatKey
  readonly id: string
  readonly limits: BranchLimits
}

/** The messages of a branch without their parts, newest first. */
interface BranchRows {
  readonly rows: readonly SizedOutline[]
  readonly hasOlder: boolean
}

/**
 * Reads a branch whose messages are among the newest of the chat before it, as in nearly every chat. Returns `undefined`
 * when the branch leaves them: then a recursion in the database must find it. That costs several times as much, because
 * each of its steps looks for one row.
 */
async function straightBranch(
  { sql, select }: TreeReader,
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
