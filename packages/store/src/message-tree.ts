import type { ChatKey, Message } from '@throughline/protocol'
import { z } from 'zod'
import { partsLoader } from './load-parts.ts'
import { outlineFrom } from './message-rows.ts'
import { messageTreeSql } from './message-tree-sql.ts'
import { type Database, messageRow } from './schema.ts'
import type { SqlRow } from './sql.ts'
import {
  type AskedBranch,
  type BranchLimits,
  type BranchRows,
  straightBranch,
  type Tree,
} from './straight-branch.ts'

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
export function createMessageTree({ sql, dialect }: Database): MessageTree {
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
async function anyBranch({ sql, select }: Tree, { chat, id, limits }: AskedBranch): Promise<BranchRows> {
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
