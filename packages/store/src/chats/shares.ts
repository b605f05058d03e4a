import { type ChatKey, isChatId, isOwnerId } from '@throughline/protocol'
import { z } from 'zod'
import { deletes, succeeds } from '../database/confirmed-writes.ts'
import {
  chatColumns,
  existingChat,
  ofChat,
  readRows,
  type StoreDatabase,
  statement,
} from '../database/database.ts'
import { shareRow } from '../database/schema.ts'
import { SqlError } from '../database/sql.ts'
import type { ChatRemovals } from './chat-removals.ts'

/** A link to a copy of a chat, as its owner sees it. */
export interface ShareRecord {
  /** The secret part of the link. Whoever knows it can read the copy. */
  readonly key: string
  readonly title: string
  /** When the copy was made, in ISO format. */
  readonly createdAt: string
  /** How many messages the copy has, without those of sub-agents. */
  readonly messageCount: number
  /** A hash of what the copy has. Equal copies have equal hashes. */
  readonly digest: string
}

/** A copy of a chat that is to be saved. */
export interface NewShare extends ShareRecord {
  /** The messages as JSON. The store does not read it. */
  readonly messages: string
  /** The files of the chat that the messages name. */
  readonly fileIds: readonly string[]
}

/** A copy that was found by its key, without its messages. */
export interface FoundShare extends Pick<NewShare, 'key' | 'title' | 'createdAt' | 'fileIds'> {
  readonly chat: ChatKey
}

/** The copies of chats that people share by a link. They are deleted together with their chat. */
export interface Shares {
  /** Saves a copy. Returns false when there is no such chat, or when the key is taken. */
  create(chat: ChatKey, share: NewShare): Promise<boolean>
  /** Returns the links of a chat, newest first. */
  list(chat: ChatKey): Promise<readonly ShareRecord[]>
  /** Returns false when the chat has no such link. */
  remove(chat: ChatKey, key: string): Promise<boolean>
  /** Finds a copy of any owner. Returns `undefined` when there is none, or its chat is being removed. */
  find(key: string): Promise<FoundShare | undefined>
  /** Returns the messages of a copy as JSON, or `undefined` as `find` does. */
  messages(key: string): Promise<string | undefined>
}

/** Returns the shared copies in a database. */
export function createShares(database: StoreDatabase, removals: Pick<ChatRemovals, 'has'>): Shares {
  const { build, sql } = database
  const inChat = (chat: ChatKey) => build.selectFrom('shares').where(ofChat(chat))
  // The rows of a chat that is being removed may still be there, but nobody may read them.
  const readable = (key: string) =>
    build
      .selectFrom('shares')
      .innerJoin('chats', join =>
        join.onRef('chats.owner_id', '=', 'shares.owner_id').onRef('chats.id', '=', 'shares.chat_id'),
      )
      .where('shares.key', '=', key)
      .where('chats.removed_at', 'is', null)

  async function find(key: string): Promise<FoundShare | undefined> {
    const select = readable(key).select([
      'shares.key',
      'shares.owner_id',
      'shares.chat_id',
      'shares.title',
      'shares.created_at',
      'shares.file_ids',
    ])
    const [row] = await readRows(database, select, foundRow)
    const found = row && shareFrom(row)
    return found === undefined || removals.has(found.chat) ? undefined : found
  }

  return {
    find,

    create(chat, share) {
      const { key } = share
      const insert = build.insertInto('shares').values({ ...chatColumns(chat), ...columnsOf(share) })
      return succeeds(
        ['no-effect', 'constraint'],
        () => sql.write([statement(existingChat(database, chat), { mustChange: true }), statement(insert)]),
        async () =>
          (await readRows(database, inChat(chat).select('key').where('key', '=', key), keyRow)).length > 0,
      )
    },

    async list(chat) {
      const select = inChat(chat)
        .select(['key', 'title', 'created_at', 'message_count', 'digest'])
        .orderBy('created_at', 'desc')
        .orderBy('key')
      return (await readRows(database, select, listedRow)).map(row => ({
        key: row.key,
        title: row.title,
        createdAt: row.created_at,
        messageCount: row.message_count,
        digest: row.digest,
      }))
    },

    remove(chat, key) {
      const remove = build.deleteFrom('shares').where(ofChat(chat)).where('key', '=', key)
      return deletes(() => sql.write([statement(remove, { mustChange: true })]))
    },

    async messages(key) {
      const [row] = await readRows(database, readable(key).select('shares.messages'), messagesRow)
      return row?.messages
    },
  }
}

const keyRow = shareRow.pick({ key: true })
const messagesRow = shareRow.pick({ messages: true })
const listedRow = shareRow.omit({ owner_id: true, chat_id: true, file_ids: true, messages: true })
const foundRow = shareRow.omit({ message_count: true, digest: true, messages: true })
const fileIds = z.array(z.string())

function columnsOf({ key, title, createdAt, messageCount, digest, messages, fileIds }: NewShare) {
  return {
    key,
    title,
    created_at: createdAt,
    message_count: messageCount,
    digest,
    file_ids: JSON.stringify(fileIds),
    messages,
  }
}

function shareFrom(row: z.infer<typeof foundRow>): FoundShare {
  const { owner_id: ownerId, chat_id: chatId } = row
  if (!isOwnerId(ownerId) || !isChatId(chatId))
    throw new SqlError(
      'damaged',
      'A row of the table "shares" is damaged. Restore the database from a backup.',
    )
  return {
    key: row.key,
    chat: { ownerId, chatId },
    title: row.title,
    createdAt: row.created_at,
    fileIds: fileIds.parse(JSON.parse(row.file_ids)),
  }
}
