import type { OwnerId } from '@throughline/protocol'
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { type Database, readRows } from './schema.ts'

/** What is searched for, and how long. */
export interface ChatSearch {
  /** A text that a title or a message contains. The letters A to Z match in either case. */
  readonly text: string
  /** How many chats are returned at most. */
  readonly limit: number
  /** How long the messages are searched at most, in milliseconds. Default: 1,500. */
  readonly maxMs?: number | undefined
  /** Ends the search early. */
  readonly signal?: AbortSignal | undefined
}

/** What a search has found. */
export interface FoundTexts {
  /** The text of a message that contains what was searched for, by chat. `undefined` when only the title contains it. */
  readonly texts: ReadonlyMap<string, string | undefined>
  /** Whether everything was searched. If not, the limit was reached, or the time was over. */
  readonly isComplete: boolean
}

/** So many chats are searched, the newest ones. */
const maxSearched = 5_000

/** The messages of so many chats are searched at a time. The database does other jobs in between. */
const sliceSize = 10

const nameRow = z.object({ id: z.string(), is_named: z.number() })
const textRow = z.object({ id: z.string(), text: z.string().nullable() })

/**
 * Finds the owner's chats that contain a text, in their titles or in the saved texts of their messages. It compares
 * characters, not words, so it works in every language.
 */
export async function searchChats(
  database: Database,
  ownerId: OwnerId,
  { text, limit, maxMs = 1_500, signal }: ChatSearch,
): Promise<FoundTexts> {
  const until = performance.now() + maxMs
  const chats = await readRows(database, selectNames(database, ownerId, text), nameRow)
  const named = chats.filter(({ is_named }) => is_named === 1).slice(0, limit)
  const texts = new Map<string, string | undefined>(named.map(({ id }) => [id, undefined]))
  for (let start = 0; start < chats.length; start += sliceSize) {
    const isOver = performance.now() > until || signal?.aborted === true
    if (texts.size >= limit || isOver) return { texts, isComplete: false }
    const ids = chats.slice(start, start + sliceSize).map(({ id }) => id)
    const found = await readRows(database, selectTexts(database, ownerId, { ids, text }), textRow)
    for (const row of found) if (row.text !== null && texts.size < limit) texts.set(row.id, row.text)
  }
  return { texts, isComplete: chats.length < maxSearched }
}

/** The newest chats, and whether their titles contain the text. */
function selectNames({ build, dialect }: Database, ownerId: OwnerId, text: string) {
  const isNamed = contains(sql.ref('title'), { text, like: dialect.like })
  return build
    .selectFrom('chats')
    .select(['id', sql<number>`case when ${isNamed} then 1 else 0 end`.as('is_named')])
    .where('owner_id', '=', ownerId)
    .where('removed_at', 'is', null)
    .orderBy('updated_at', 'desc')
    .orderBy('id')
    .limit(maxSearched)
}

/** For each chat, one text of its messages that contains the text. */
function selectTexts(
  { build, dialect }: Database,
  ownerId: OwnerId,
  { ids, text }: { readonly ids: readonly string[]; readonly text: string },
) {
  const { like, jsonText } = dialect
  const partType = sql.raw(jsonText('parts.body', ['type']))
  const partText = sql.raw<string>(jsonText('parts.body', ['text']))
  return build
    .selectFrom('chats')
    .select('chats.id')
    .select(({ selectFrom }) =>
      selectFrom('parts')
        .select(partText.as('part_text'))
        .whereRef('parts.owner_id', '=', 'chats.owner_id')
        .whereRef('parts.chat_id', '=', 'chats.id')
        // Most parts do not contain the text anywhere. Their JSON need not be parsed.
        .where(contains(sql.ref('parts.body'), { text: JSON.stringify(text).slice(1, -1), like }))
        .where(sql<boolean>`${partType} = 'text'`)
        .where(contains(partText, { text, like }))
        .limit(1)
        .as('text'),
    )
    .where('chats.owner_id', '=', ownerId)
    .where('chats.id', 'in', ids)
    .where('chats.removed_at', 'is', null)
}

/** A condition: a column contains a text. `%`, `_` and `\` in the text stand for themselves. */
function contains(
  column: RawBuilder<unknown>,
  { text, like }: { readonly text: string; readonly like: string },
): RawBuilder<boolean> {
  const pattern = `%${text.replace(/[\\%_]/g, '\\$&')}%`
  return sql<boolean>`${column} ${sql.raw(like)} ${pattern} escape '\\'`
}
