import { type ChatKey, randomHex } from '@throughline/protocol'
import { confirmed } from '../database/confirmed-writes.ts'
import {
  chatColumns,
  existingChat,
  ofChat,
  readRows,
  type StoreDatabase,
  statement,
} from '../database/database.ts'
import { fileRow, type Schema } from '../database/schema.ts'
import { SqlError, type Statement } from '../database/sql.ts'
import type { FileBytes } from '../file-bytes/file-bytes.ts'
import { saveUnsaved, type UnsavedFiles } from './unsaved-files.ts'

/** A file that is to be saved. `at` is the time, in ISO format. */
export interface NewFile {
  readonly mediaType: string
  readonly bytes: Uint8Array
  readonly at: string
}

/** A file that a user's message brings. Its id is made from its contents: equal ids mean equal files. */
export interface MessageFile extends NewFile {
  readonly id: string
}

/** What is known about a file without reading it. */
export interface FileFacts {
  readonly id: string
  readonly mediaType: string
  readonly byteCount: number
}

/** A file that was read. */
export interface StoredFile {
  readonly mediaType: string
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** The files of chats. Their rows are in the database, and their bytes wherever `FileBytes` keeps them. */
export interface Files {
  /** Where the bytes are, in words for the operator. */
  readonly location: string
  /**
   * Saves a file of a chat. Returns the id of the file once both the bytes and the row are durable. Throws when there is
   * no such chat.
   */
  keep(chat: ChatKey, file: NewFile): Promise<string>
  /**
   * Writes the bytes of a message's file. Idempotent. The chat does not need to exist yet. The file can be read only after
   * `runs.claim` has saved its row together with the message. Without a row, the bytes are removed after a day, or with
   * the chat.
   */
  write(chat: ChatKey, file: MessageFile): Promise<void>
  /** Returns `undefined` when the chat has no such file. */
  find(chat: ChatKey, id: string): Promise<FileFacts | undefined>
  /** Returns `undefined` when the chat has no such file. */
  read(chat: ChatKey, id: string): Promise<StoredFile | undefined>
  /** Removes all files of a chat, also those without a row. */
  removeAll(chat: ChatKey): Promise<void>
}

/** Where the bytes of files are, and which of them are not saved yet. */
export interface FilesOptions {
  readonly bytes: FileBytes
  readonly unsaved: Pick<UnsavedFiles, 'note' | 'forgetAll'>
}

/** Returns the files of chats. */
export function createFiles(database: StoreDatabase, { bytes, unsaved }: FilesOptions): Files {
  const { build, sql } = database
  const rowsOf = (chat: ChatKey, id: string) =>
    readRows(
      database,
      build.selectFrom('files').selectAll().where(ofChat(chat)).where('id', '=', id),
      fileRow,
    )

  async function write(chat: ChatKey, file: MessageFile): Promise<void> {
    await unsaved.note(chat, file.id)
    await bytes.write(chat, file)
  }

  return {
    location: bytes.location,

    async keep(chat, { mediaType, bytes: content, at }) {
      const file = { id: `file_${randomHex(16)}`, mediaType, bytes: content, at }
      await write(chat, file)
      try {
        await confirmed(() => sql.write(keepStatements(database, chat, file)))
      } catch (error) {
        const [saved] = await rowsOf(chat, file.id).catch(() => {
          // Nobody knows whether the row was saved. If it was not, the bytes are swept later.
          throw error
        })
        // The connection may have been lost after the row was saved. Then the second attempt has failed.
        if (saved !== undefined) return file.id
        // The chat was removed, or the database failed. The bytes must stay if the database may still be at work on the row.
        // If they cannot be removed now, they are swept later.
        if (!isUnconfirmed(error)) await bytes.remove(chat, file.id).catch(() => undefined)
        throw error
      }
      return file.id
    },

    write,

    async find(chat, id) {
      const [row] = await rowsOf(chat, id)
      return row && { id: row.id, mediaType: row.media_type, byteCount: row.bytes }
    },

    async read(chat, id) {
      const [row] = await rowsOf(chat, id)
      if (row === undefined) return undefined
      // The id in the row was made by this program. The id in the request could be a path.
      const content = await bytes.read(chat, row.id)
      return content === undefined ? undefined : { mediaType: row.media_type, bytes: content }
    },

    async removeAll(chat) {
      const rows = build.deleteFrom('files').where(ofChat(chat))
      // The rows go first, so that there is never a row without its bytes.
      await confirmed(() => sql.write([statement(rows)]))
      await bytes.removeAll(chat)
      // The notes go last: a file that was written in the meantime may have lost its bytes, so it must not be saved.
      await unsaved.forgetAll(chat)
    },
  }
}

/**
 * Part of saving a message: saves the rows of its files. The chat may have the same files already. Undoes the transaction
 * when the bytes of a file must be written again.
 */
export function insertFiles(
  database: StoreDatabase,
  chat: ChatKey,
  files: readonly MessageFile[],
): readonly Statement[] {
  // A message may have the same file twice.
  const unique = new Map(files.map(file => [file.id, file])).values()
  return [...unique].flatMap(file => [
    statement(
      database.build
        .insertInto('files')
        .values(rowOf(chat, file))
        .onConflict(conflict => conflict.columns(['owner_id', 'chat_id', 'id']).doNothing()),
    ),
    saveUnsaved(database, chat, file.id),
  ])
}

/** Older than every file. The next sweep removes the bytes. */
const longAgo = new Date(0).toISOString()

/**
 * Part of removing a message that waits: removes the row of a file that the message has brought, unless a saved message,
 * another message that waits or a shared copy has the same file. Must come after the statement that removes the message.
 * The bytes are removed by the next sweep of unsaved files, within an hour.
 *
 * Somebody may bring the same file at the same moment. They note it before they save it: see `UnsavedFiles`. So the row
 * stays if somebody else has noted the file.
 */
export function forgetFile(
  { build }: StoreDatabase,
  { id, ...key }: ChatKey & { readonly id: string },
): readonly Statement[] {
  const chat = { ownerId: key.ownerId, chatId: key.chatId }
  const note = build
    .insertInto('unsaved_files')
    .values({ ...chatColumns(chat), id, written_at: longAgo, sweep_at: null })
    .onConflict(conflict => conflict.columns(['owner_id', 'chat_id', 'id']).doNothing())
  // The ids of files are made from their contents. No other text contains one by chance.
  const named = `%${id}%`
  const remove = build
    .deleteFrom('files')
    .where(ofChat(chat))
    .where('id', '=', id)
    .where(({ and, not, exists, selectFrom }) =>
      and([
        exists(
          selectFrom('unsaved_files')
            .select('id')
            .where(ofChat(chat))
            .where('id', '=', id)
            .where('written_at', '=', longAgo),
        ),
        not(exists(selectFrom('parts').select('idx').where(ofChat(chat)).where('body', 'like', named))),
        not(exists(selectFrom('shares').select('key').where(ofChat(chat)).where('file_ids', 'like', named))),
        not(
          exists(
            selectFrom('waiting_submissions').select('idx').where(ofChat(chat)).where('body', 'like', named),
          ),
        ),
      ]),
    )
  return [statement(note), statement(remove)]
}

function keepStatements(database: StoreDatabase, chat: ChatKey, file: MessageFile): readonly Statement[] {
  const { build } = database
  const isThere = existingChat(database, chat)
  return [
    statement(build.insertInto('files').values(rowOf(chat, file))),
    // A chat that is being removed still has its row.
    statement(isThere, { mustChange: true }),
    saveUnsaved(database, chat, file.id),
  ]
}

function isUnconfirmed(error: unknown): boolean {
  return error instanceof SqlError && error.code === 'unconfirmed'
}

function rowOf(chat: ChatKey, { id, mediaType, bytes, at }: MessageFile): Schema['files'] {
  return { ...chatColumns(chat), id, media_type: mediaType, bytes: bytes.byteLength, created_at: at }
}
