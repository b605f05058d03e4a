import { type ChatId, type ChatKey, isChatId, type OwnerId } from '@throughline/protocol'
import { confirmed, succeeds } from '../database/confirmed-writes.ts'
import { readRows, type StoreDatabase, statement } from '../database/database.ts'
import { chatRow, type Schema } from '../database/schema.ts'
import { SqlError } from '../database/sql.ts'
import type { Signals } from '../nodes/signals.ts'
import type { ChatRemovals } from './chat-removals.ts'

/** A chat as the list of chats shows it. */
export interface ChatRecord {
  readonly id: ChatId
  /** The beginning of the first message, or the title that a person gave. */
  readonly title: string
  /** In ISO format, as `updatedAt`. */
  readonly createdAt: string
  readonly updatedAt: string
}

/** The chats of each owner. Another owner's chat does not exist here. */
export interface Chats {
  /** Returns the chats that were changed last, newest first. */
  list(ownerId: OwnerId, options: { readonly limit: number }): Promise<readonly ChatRecord[]>
  get(chat: ChatKey): Promise<ChatRecord | undefined>
  /** Makes the chat if it does not exist. Returns the chat as it is saved, which may be the one from before. */
  create(ownerId: OwnerId, chat: ChatRecord): Promise<ChatRecord>
  /** Returns false when there is no such chat. */
  rename(chat: ChatKey, change: { readonly title: string; readonly at: string }): Promise<boolean>
  /** Replaces a title, unless it is another one by now. Returns whether it did. */
  retitle(chat: ChatKey, change: { readonly from: string; readonly to: string }): Promise<boolean>
  /** Pins a chat to the top of the list at a time, or unpins it. Returns false when there is no such chat. */
  pin(chat: ChatKey, at: string | undefined): Promise<boolean>
  /**
   * Removes the chat with its messages, runs, files and log: see `ChatRemovals`. Returns false when there is no such chat.
   * If the chat is in a channel, the ids of its user messages are remembered for a while: see `ChannelChats.tie`.
   */
  remove(chat: ChatKey, at: string): Promise<boolean>
}

const maxAttempts = 3

/** Returns the chats in a database. Rings for a chat when the list of chats shows something else of it. */
export function createChats(
  database: StoreDatabase,
  removals: ChatRemovals,
  signals: Pick<Signals, 'ring'>,
): Chats {
  const { build, sql } = database
  const existing = (ownerId: OwnerId) =>
    build.selectFrom('chats').selectAll().where('owner_id', '=', ownerId).where('removed_at', 'is', null)
  const find = ({ ownerId, chatId }: ChatKey) => existing(ownerId).where('id', '=', chatId)

  async function get(chat: ChatKey): Promise<ChatRecord | undefined> {
    if (removals.has(chat)) return undefined
    const [row] = await readRows(database, find(chat), chatRow)
    return row === undefined ? undefined : chatFromRow(row)
  }

  async function change(
    { ownerId, chatId }: ChatKey,
    columns: Partial<Pick<Schema['chats'], 'title' | 'updated_at' | 'pinned_at'>>,
    onlyTitle?: string,
  ): Promise<boolean> {
    if (removals.has({ ownerId, chatId })) return false
    const update = build
      .updateTable('chats')
      .set(columns)
      .where('owner_id', '=', ownerId)
      .where('id', '=', chatId)
      .where('removed_at', 'is', null)
      .$if(onlyTitle !== undefined, query => query.where('title', '=', onlyTitle ?? ''))
    const isChanged = await succeeds('no-effect', () => sql.write([statement(update, { mustChange: true })]))
    signals.ring({ ownerId, chatId })
    return isChanged
  }

  return {
    get,

    async list(ownerId, { limit }) {
      const newest = existing(ownerId).orderBy('updated_at', 'desc').orderBy('id').limit(limit)
      const found = (await readRows(database, newest, chatRow)).map(chatFromRow)
      return found.filter(({ id }) => !removals.has({ ownerId, chatId: id }))
    },

    async create(ownerId, chat) {
      const key = { ownerId, chatId: chat.id }
      // Another process may be removing the chat, or may just have done so.
      for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
        await removals.waitWhileRemoving(key)
        await confirmed(() => sql.write([statement(insertChat(database, ownerId, chat))]))
        signals.ring(key)
        const saved = await get(key)
        if (saved !== undefined) return saved
        await removals.waitUntilRemoved(key)
      }
      // Somebody removes it again and again.
      return chat
    },

    rename: (chat, { title, at }) => change(chat, { title, updated_at: at }),

    retitle: (chat, { from, to }) => change(chat, { title: to }, from),

    pin: (chat, at) => change(chat, { pinned_at: at ?? null }),

    async remove(chat, at) {
      const removal = removals.remove(chat, at)
      // This process hides the chat from now on. The others see that it is gone when its row is marked, or deleted.
      signals.ring(chat)
      try {
        return await removal
      } finally {
        signals.ring(chat)
      }
    },
  }
}

/** Makes a chat if it does not exist. Also part of claiming a run: the first message of a chat makes the chat. */
export function insertChat({ build }: StoreDatabase, ownerId: OwnerId, chat: ChatRecord) {
  return build
    .insertInto('chats')
    .values({
      owner_id: ownerId,
      id: chat.id,
      title: chat.title,
      created_at: chat.createdAt,
      updated_at: chat.updatedAt,
      saved_seq: 0,
      removed_at: null,
      removal_by: null,
      removal_until: null,
      answered_at: null,
      pinned_at: null,
    })
    .onConflict(conflict => conflict.doNothing())
}

function chatFromRow({ id, title, created_at, updated_at }: Schema['chats']): ChatRecord {
  if (!isChatId(id)) throw new SqlError('damaged', `The row of chat "${id}" is damaged.`)
  return { id, title, createdAt: created_at, updatedAt: updated_at }
}
