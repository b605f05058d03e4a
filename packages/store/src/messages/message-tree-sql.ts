import type { Dialect } from '../database/dialect.ts'

/**
 * The statements of `message-tree.ts`. They follow the rules of `branches.ts` in the protocol: a message follows the one
 * before it, unless its metadata names another one.
 */
export interface MessageTreeSql {
  /**
   * Selects the rows of a branch with the size of their parts, newest first. Each step of the recursion finds one row by
   * an index. The last parameter is the greatest number of rows. It ends the recursion.
   */
  readonly branch: string
  /** Selects a message with the size of its parts, unless it is a sub-agent's. */
  readonly start: string
  /**
   * Selects the newest messages before a message, in no order: `list` is a list in JSON with the id, the role, the metadata,
   * the place and the size of the parts of each. The parameters are the chat, the chat and the id of the message, and the
   * greatest number of messages.
   */
  readonly recent: string
  /** Selects what stands between a message and the next one: the messages of its sub-agents. */
  readonly subAgents: string
  /** Selects the id of the message that a message follows. */
  readonly previous: string
  /** Selects the id of the master's message at the top of a message's lineage. */
  readonly root: string
  /** Select the last message that has one of three roles: among those without a place, and among those with one. */
  readonly lastOpen: string
  readonly lastPlaced: string
}

/** Returns the statements for a database. */
export function messageTreeSql(dialect: Dialect): MessageTreeSql {
  const words = treeWords(dialect)
  return {
    branch: branchSql(words),
    start: `select m.*, ${bytesOf('m')} as bytes from messages m
      where m.owner_id = ? and m.chat_id = ? and m.id = ? and not ${words.isSubAgents('m')}`,
    recent: recentSql(words, dialect),
    subAgents: subAgentsSql(words),
    previous: `select ${words.previousOf('m')} as previous from messages m
      where m.owner_id = ? and m.chat_id = ? and m.id = ? and not ${words.isSubAgents('m')}`,
    root: rootSql(words),
    lastOpen: lastSql(words, 'm.seq is null'),
    lastPlaced: lastSql(words, 'm.seq is not null'),
  }
}

type TreeWords = ReturnType<typeof treeWords>

/** Returns expressions about a message, by the name that its table has in the statement. */
function treeWords({ jsonText, hasJsonKey }: Dialect) {
  /** The condition for a message of a sub-agent. The same rule as in `branches.ts` of the protocol. */
  const isSubAgents = (table: string) => {
    const kind = jsonText(`${table}.metadata`, ['agent', 'kind'])
    return `(coalesce(${kind}, '') = 'sub' or ${hasJsonKey(`${table}.metadata`, 'parent')})`
  }

  /**
   * The id of the last message before a message that is not a sub-agent's. The user's message of a run that goes on has
   * no place yet: it comes last.
   */
  const beforeOf = (table: string) => `(select before.id from messages before
      where before.owner_id = ${table}.owner_id and before.chat_id = ${table}.chat_id
        and before.seq < coalesce(${table}.seq, ${Number.MAX_SAFE_INTEGER}) and not ${isSubAgents('before')}
      order by before.seq desc limit 1)`

  return {
    isSubAgents,
    /** The id of the message that a message follows; empty when it follows none. */
    previousOf: (table: string) =>
      `coalesce(${jsonText(`${table}.metadata`, ['previousMessageId'])}, ${beforeOf(table)}, '')`,
    /** The id of the message that a sub-agent's message was written for; null for other messages. */
    parentOf: (table: string) => `case when ${isSubAgents(table)}
      then coalesce(${jsonText(`${table}.metadata`, ['parent', 'messageId'])}, ${beforeOf(table)}, '') end`,
  }
}

function branchSql({ isSubAgents, previousOf }: TreeWords): string {
  return `with recursive branch (n, owner_id, chat_id, id, previous) as (
    select 1, m.owner_id, m.chat_id, m.id, ${previousOf('m')} from messages m
      where m.owner_id = ? and m.chat_id = ? and m.id = ? and not ${isSubAgents('m')}
    union all
    select n + 1, m.owner_id, m.chat_id, m.id, ${previousOf('m')} from branch
      join messages m on m.owner_id = branch.owner_id and m.chat_id = branch.chat_id and m.id = branch.previous
      where n < ? and not ${isSubAgents('m')}
  )
  select messages.*, ${bytesOf('messages')} as bytes
  from branch join messages using (owner_id, chat_id, id) order by n`
}

function recentSql({ isSubAgents }: TreeWords, { jsonRows }: Dialect): string {
  return `select ${jsonRows(['id', 'role', 'metadata', 'seq', 'bytes'])} as list from (
    select m.id, m.role, m.metadata, m.seq, ${bytesOf('m')} as bytes from messages m
    where m.owner_id = ? and m.chat_id = ? and not ${isSubAgents('m')} and m.seq < coalesce(
      (select seq from messages where owner_id = ? and chat_id = ? and id = ?), ${Number.MAX_SAFE_INTEGER})
    order by m.seq desc limit ?
  ) recent`
}

/** The size of the parts of a message, in bytes of JSON. */
function bytesOf(table: string): string {
  return `(select coalesce(sum(octet_length(parts.body)), 0) from parts where parts.owner_id = ${table}.owner_id
      and parts.chat_id = ${table}.chat_id and parts.message_id = ${table}.id)`
}

function subAgentsSql({ isSubAgents }: TreeWords): string {
  return `select sub.*, m.id as behind from messages m
  join messages sub on sub.owner_id = m.owner_id and sub.chat_id = m.chat_id and sub.seq > m.seq
    and sub.seq < coalesce(
      (select next.seq from messages next
        where next.owner_id = m.owner_id and next.chat_id = m.chat_id
          and next.seq > m.seq and not ${isSubAgents('next')}
        order by next.seq limit 1),
      ${Number.MAX_SAFE_INTEGER})
  where m.owner_id = ? and m.chat_id = ? and m.id = ? order by sub.seq`
}

// Sub-agents are never nested this deeply. The limit ends the recursion if damaged messages form a circle.
const maxDepth = 64

function rootSql({ parentOf }: TreeWords): string {
  return `with recursive lineage (n, owner_id, chat_id, id, parent) as (
    select 1, m.owner_id, m.chat_id, m.id, ${parentOf('m')} from messages m
      where m.owner_id = ? and m.chat_id = ? and m.id = ?
    union all
    select n + 1, m.owner_id, m.chat_id, m.id, ${parentOf('m')} from lineage
      join messages m on m.owner_id = lineage.owner_id and m.chat_id = lineage.chat_id and m.id = lineage.parent
      where n < ${maxDepth}
  )
  select coalesce(parent, id) as root from lineage order by n desc limit 1`
}

function lastSql({ isSubAgents }: TreeWords, condition: string): string {
  return `select m.id from messages m
    where m.owner_id = ? and m.chat_id = ? and m.role in (?, ?, ?) and ${condition} and not ${isSubAgents('m')}
    order by m.seq desc limit 1`
}
