// The statements of `message-tree.ts`. They follow the rules of `branches.ts` in the protocol: a message follows the one
// before it, unless its metadata names another one.

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

/**
 * Selects the rows of a branch with the size of their parts, newest first. Each step of the recursion finds one row by an
 * index. `limit` ends the recursion.
 */
export const branchSql = `with recursive branch (n, owner_id, chat_id, id, previous) as (
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

/** Selects what stands between a message and the next one: the messages of its sub-agents. */
export const subAgentsSql = `select sub.*, m.id as behind from messages m
  join messages sub on sub.owner_id = m.owner_id and sub.chat_id = m.chat_id and sub.seq > m.seq
    and sub.seq < coalesce(
      (select next.seq from messages next
        where next.owner_id = m.owner_id and next.chat_id = m.chat_id
          and next.seq > m.seq and not ${isSubAgents('next')}
        order by next.seq limit 1),
      ${Number.MAX_SAFE_INTEGER})
  where m.owner_id = ? and m.chat_id = ? and m.id = ? order by sub.seq`

/** Selects the id of the message that a message follows. */
export const previousSql = `select ${previousOf('m')} as previous from messages m
  where m.owner_id = ? and m.chat_id = ? and m.id = ? and not ${isSubAgents('m')}`

// Sub-agents are never nested this deeply. The limit ends the recursion if damaged messages form a circle.
const maxDepth = 64
/** Selects the id of the master's message at the top of a message's lineage. */
export const rootSql = `with recursive lineage (n, owner_id, chat_id, id, parent) as (
    select 1, m.owner_id, m.chat_id, m.id, ${parentOf('m')} from messages m
      where m.owner_id = ? and m.chat_id = ? and m.id = ?
    union all
    select n + 1, m.owner_id, m.chat_id, m.id, ${parentOf('m')} from lineage
      join messages m on m.owner_id = lineage.owner_id and m.chat_id = lineage.chat_id and m.id = lineage.parent
    limit ${maxDepth}
  )
  select coalesce(parent, id) as root from lineage order by n desc limit 1`

/** Selects the last message that has one of three roles. */
export function lastSql(condition: string): string {
  return `select m.id from messages m
    where m.owner_id = ? and m.chat_id = ? and m.role in (?, ?, ?) and ${condition} and not ${isSubAgents('m')}
    order by m.seq desc limit 1`
}
