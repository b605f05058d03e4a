import { type ChatId, isChatId, type ListedChat, type OwnerId } from '@throughline/protocol'
import { z } from 'zod'
import type { ChatRemovals } from './chat-removals.ts'
import { type Database, readRows, running } from './schema.ts'
import { type ChatSearch, type FoundTexts, searchChats } from './search-chats.ts'
import { SqlError } from './sql.ts'

/** Reads chats with what a list of chats shows about them. Another owner's chat does not exist here. */
export interface ChatList {
  /** Returns the chats that were changed last and those that are pinned, newest first. */
  newest(ownerId: OwnerId, options: { readonly limit: number }): Promise<readonly ListedChat[]>
  /** Returns those of the named chats that exist. */
  some(ownerId: OwnerId, ids: readonly ChatId[]): Promise<readonly ListedChat[]>
  /** Returns the chats that contain a text, in their titles or in their messages. An answer counts once it has ended. */
  search(ownerId: OwnerId, search: ChatSearch): Promise<FoundChats>
}

/** What a search has found, newest chats first. */
export interface FoundChats extends Pick<FoundTexts, 'isComplete'> {
  readonly chats: readonly FoundChat[]
}

/** A chat that was found. */
export interface FoundChat extends ListedChat {
  /** The text of a message that contains what was searched for. Missing when only the title contains it. */
  readonly text?: string
}

/** So many pinned chats are listed, whatever the limit. */
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
export function createChatList(database: Database, removals: Pick<ChatRemovals, 'has'>): ChatList {
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
function selectListed({ build }: Database, ownerId: OwnerId) {
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
