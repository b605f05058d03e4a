import type { ChatKey, Message } from '@throughline/protocol'
import { z } from 'zod'
import { messageFrom } from './message-rows.ts'
import { type Database, messageRow, partRow } from './schema.ts'
import type { SqlRow } from './sql.ts'

/** How much of a branch is read. */
export interface BranchLimits {
  /** The greatest number of messages, without those of sub-agents. */
  readonly maxMessages: number
  /** The greatest size of their parts together, in bytes of JSON. The newest message is read in any case. */
  readonly maxBytes: number
}

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
export function createMessageTree({ sql }: Database): MessageTree {
  return {
    async branch(chat, id, limits) {
      // One row more than wanted shows whether there are older messages.
      const found = await sql.read([
        { sql: branchSql, sets: [[chat.ownerId, chat.chatId, id, limits.maxMessages + 1]] },
      ])
      const rows = withoutCircle(z.array(branchRow).parse(found[0]))
      const chosen = withinLimits(rows, limits)
      const parts = await sql.read([
        { sql: partsSql, sets: chosen.map(row => [chat.ownerId, chat.chatId, row.id]) },
      ])
      const partsById = Map.groupBy(z.array(partRow).parse(parts[0]), part => part.message_id)
      return {
        messages: chosen.map(row => messageFrom(row, partsById.get(row.id) ?? [])).toReversed(),
        hasOlder: chosen.length < rows.length,
      }
    },

    async previous(chat, id) {
      const [[row] = []] = await sql.read([{ sql: previousSql, sets: [[chat.ownerId, chat.chatId, id]] }])
      return row === undefined ? undefined : textFrom(row, 'previous')
    },

    async root(chat, id) {
      const [[top] = []] = await sql.read([{ sql: rootSql, sets: [[chat.ownerId, chat.chatId, id]] }])
      return top === undefined ? undefined : textFrom(top, 'root')
    },

    async last(chat, role) {
      const roles = role === undefined ? ['user', 'assistant', 'system'] : [role, role, role]
      const set = [chat.ownerId, chat.chatId, ...roles]
      const [[open] = [], [placed] = []] = await sql.read([
        { sql: lastSql('seq is null'), sets: [set] },
        { sql: lastSql('seq is not null'), sets: [set] },
      ])
      const row = open ?? placed
      return row === undefined ? '' : textFrom(row, 'id')
    },
  }
}

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

/** The condition for a message of a sub-agent. The same rule as in `branches.ts` of the protocol. */
function isSubAgents(table: string): string {
  return `(json_extract(${table}.metadata, '$.agent.kind') is 'sub' or json_type(${table}.metadata, '$.parent') is not null)`
}

/**
 * The id of the last message before a message that is not a sub-agent's. The user's message of a run that goes on has
 * no place yet: it comes last.
 */
function beforeOf(table: string): string {
  return `(select before.id from messages before
      where before.owner_id = ${table}.owner_id and before.chat_id = ${table}.chat_id
        and before.seq < coalesce(${table}.seq, ${Number.MAX_SAFE_INTEGER}) and not ${isSubAgents('before')}
      order by before.seq desc limit 1)`
}

/** The id of the message that a message follows; empty when it follows none. */
function previousOf(table: string): string {
  return `coalesce(json_extract(${table}.metadata, '$.previousMessageId'), ${beforeOf(table)}, '')`
}

/** The id of the message that a sub-agent's message was written for; null for other messages. */
function parentOf(table: string): string {
  return `case when ${isSubAgents(table)}
    then coalesce(json_extract(${table}.metadata, '$.parent.messageId'), ${beforeOf(table)}, '') end`
}

// Each step of the recursion finds one row by an index. `limit` ends the recursion.
const branchSql = `with recursive branch (n, owner_id, chat_id, id, previous) as (
    select 1, m.owner_id, m.chat_id, m.id, ${previousOf('m')} from messages m
      where m.owner_id = ? and m.chat_id = ? and m.id = ? and not ${isSubAgents('m')}
    union all
    select n + 1, m.owner_id, m.chat_id, m.id, ${previousOf('m')} from branch
      join messages m on m.owner_id = branch.owner_id and m.chat_id = branch.chat_id and m.id = branch.previous
      where not ${isSubAgents('m')}
    limit ?
  )
  select messages.*, (
      select coalesce(sum(octet_length(parts.body)), 0) from parts
      where parts.owner_id = messages.owner_id and parts.chat_id = messages.chat_id and parts.message_id = messages.id
    ) as bytes
  from branch join messages using (owner_id, chat_id, id) order by n`

const partsSql = 'select * from parts where owner_id = ? and chat_id = ? and message_id = ? order by idx'

const previousSql = `select ${previousOf('m')} as previous from messages m
  where m.owner_id = ? and m.chat_id = ? and m.id = ? and not ${isSubAgents('m')}`

// Sub-agents are never nested this deeply. The limit ends the recursion if damaged messages form a circle.
const maxDepth = 64
const rootSql = `with recursive lineage (n, owner_id, chat_id, id, parent) as (
    select 1, m.owner_id, m.chat_id, m.id, ${parentOf('m')} from messages m
      where m.owner_id = ? and m.chat_id = ? and m.id = ?
    union all
    select n + 1, m.owner_id, m.chat_id, m.id, ${parentOf('m')} from lineage
      join messages m on m.owner_id = lineage.owner_id and m.chat_id = lineage.chat_id and m.id = lineage.parent
    limit ${maxDepth}
  )
  select coalesce(parent, id) as root from lineage order by n desc limit 1`

function lastSql(condition: string): string {
  return `select m.id from messages m
    where m.owner_id = ? and m.chat_id = ? and m.role in (?, ?, ?) and ${condition} and not ${isSubAgents('m')}
    order by m.seq desc limit 1`
}
