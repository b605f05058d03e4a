import { type ChatId, isChatId, type ListedChat, type OwnerId } from '@throughline/protocol'
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { readRows, running, type StoreDatabase } from '../database/database.ts'
import { SqlError } from '../database/sql.ts'
import type { ChatRemovals } from './chat-removals.ts'

/** Reads chats with what a list of chats shows about them. Another owner's chat does not exist here. */
export interface ChatList {
  /** Returns the chats that were changed last and those that are pinned, newest first. */
  newest(ownerId: OwnerId, options: { readonly limit: number }): Promise<readonly ListedChat[]>
  /** Returns those of the named chats that exist. */
  some(ownerId: OwnerId, ids: readonly ChatId[]): Promise<readonly ListedChat[]>
  /** Returns the chats that contain a text, in their titles or in their messages. An answer counts once it has ended. */
  search(ownerId: OwnerId, search: ChatSearch): Promise<ChatSearchResult>
}

/** What a search has found, newest chats first. */
export interface ChatSearchResult extends Pick<FoundTexts, 'isComplete'> {
  readonly chats: readonly ChatSearchHit[]
}

/** A chat that was found. */
export interface ChatSearchHit extends ListedChat {
  /** The text of a message that contains what was searched for. Missing when only the title contains it. */
  readonly text?: string
}

/** At most this many pinned chats are listed beside the newest ones. */
const maxPinned = 100

const listedRow = z.object({
  id: z.string(),
  title: z.string(),
  created_at: z.string(),
  updated_at: z.string(),
  answered_at: z.string().nullable(),
  pinned_at: z.string().nullable(),
  channel: z.string().nullable(),
  run_id: z.string().nullable(),
  approval_id: z.string().nullable(),
})

/** Returns the list of chats in a database. */
export function createChatList(database: StoreDatabase, removals: Pick<ChatRemovals, 'has'>): ChatList {
  const read = async (ownerId: OwnerId, query: ReturnType<typeof selectListed>) => {
    const found = (await readRows(database, query, listedRow)).map(listedChat)
    return found.filter(({ id }) => !removals.has({ ownerId, chatId: id }))
  }
  const some = async (ownerId: OwnerId, ids: readonly ChatId[]) =>
    ids.length === 0 ? [] : read(ownerId, selectListed(database, ownerId).where('chats.id', 'in', ids))

  return {
    some,

    async newest(ownerId, { limit }) {
      const chats = selectListed(database, ownerId).orderBy('chats.updated_at', 'desc').orderBy('chats.id')
      const newest = await read(ownerId, chats.limit(limit))
      const pinned = await read(ownerId, chats.where('chats.pinned_at', 'is not', null).limit(maxPinned))
      const ids = new Set(newest.map(({ id }) => id))
      // A pinned chat that is not among the newest is older than all of them.
      return [...newest, ...pinned.filter(({ id }) => !ids.has(id))]
    },

    async search(ownerId, search) {
      const { texts, isComplete } = await searchChats(database, ownerId, search)
      const chats = (await some(ownerId, [...texts.keys()].filter(isChatId))).map(chat => {
        const text = texts.get(chat.id)
        return text === undefined ? chat : { ...chat, text }
      })
      return { chats: chats.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1)), isComplete }
    },
  }
}

/** A chat has at most one running run. A change of messages is a run too, but nobody waits for an answer of it. */
function selectListed({ build }: StoreDatabase, ownerId: OwnerId) {
  return build
    .selectFrom('chats')
    .leftJoin('channel_chats', join =>
      join
        .onRef('channel_chats.owner_id', '=', 'chats.owner_id')
        .onRef('channel_chats.chat_id', '=', 'chats.id'),
    )
    .leftJoin('runs', join =>
      join
        .onRef('runs.owner_id', '=', 'chats.owner_id')
        .onRef('runs.chat_id', '=', 'chats.id')
        .on('runs.status', '=', running)
        .on('runs.kind', 'not in', ['change', 'message']),
    )
    .select(['chats.id', 'chats.title', 'chats.created_at', 'chats.updated_at'])
    .select(['chats.answered_at', 'chats.pinned_at', 'channel_chats.channel', 'runs.id as run_id'])
    .select(({ selectFrom }) =>
      selectFrom('approvals')
        .select('approvals.id')
        .whereRef('approvals.owner_id', '=', 'runs.owner_id')
        .whereRef('approvals.run_id', '=', 'runs.id')
        .where('approvals.status', '=', 'pending')
        // A call that waits for a program does not wait for a person.
        .where('approvals.kind', '<>', 'output')
        .limit(1)
        .as('approval_id'),
    )
    .where('chats.owner_id', '=', ownerId)
    .where('chats.removed_at', 'is', null)
}

function listedChat(row: z.infer<typeof listedRow>): ListedChat {
  const { id, title, created_at, updated_at, answered_at, pinned_at, channel, run_id, approval_id } = row
  if (!isChatId(id)) throw new SqlError('damaged', `The row of chat "${id}" is damaged.`)
  return {
    id,
    title,
    createdAt: created_at,
    updatedAt: updated_at,
    ...(answered_at === null ? {} : { answeredAt: answered_at }),
    ...(pinned_at === null ? {} : { pinnedAt: pinned_at }),
    ...(channel === null ? {} : { channel }),
    activity: run_id === null ? 'idle' : approval_id === null ? 'running' : 'waiting',
  }
}

/** What is searched for, and how long. */
interface ChatSearch {
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
interface FoundTexts {
  /** The text of a message that contains what was searched for, by chat. `undefined` when only the title contains it. */
  readonly texts: ReadonlyMap<string, string | undefined>
  /** Whether everything was searched. If not, the limit was reached, or the time was over. */
  readonly isComplete: boolean
}

/** At most this many chats are searched, the newest ones. */
const maxSearched = 5_000

/** How many chats' messages are searched at a time. The database does other jobs in between. */
const sliceSize = 10

const nameRow = z.object({ id: z.string(), is_named: z.number() })
const textRow = z.object({ id: z.string(), text: z.string().nullable() })

/**
 * Finds the owner's chats that contain a text, in their titles or in the saved texts of their messages. It compares
 * characters, not words, so it works in every language.
 */
async function searchChats(
  database: StoreDatabase,
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
function selectNames({ build, dialect }: StoreDatabase, ownerId: OwnerId, text: string) {
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
  { build, dialect }: StoreDatabase,
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
