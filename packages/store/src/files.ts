import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type ChatKey, randomHex } from '@throughline/protocol'
import { chatColumns, type Database, fileRow, ofChat, readRows, type Schema, statement } from './schema.ts'
import type { Statement } from './sql.ts'

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

/** The files of chats. Their rows are in the database, their bytes in a folder beside it. */
export interface Files {
  /**
   * Saves a file of a chat. Returns the id of the file once both the bytes and the row are durable. Throws when there is
   * no such chat.
   */
  keep(chat: ChatKey, file: NewFile): Promise<string>
  /**
   * Writes the bytes of a message's file. Idempotent. The chat does not need to exist yet. The file can be read only after
   * `runs.claim` has saved its row together with the message. Without a row, the bytes stay until the chat is removed.
   */
  write(chat: ChatKey, file: MessageFile): Promise<void>
  /** Returns `undefined` when the chat has no such file. */
  find(chat: ChatKey, id: string): Promise<FileFacts | undefined>
  /** Returns `undefined` when the chat has no such file. */
  read(chat: ChatKey, id: string): Promise<StoredFile | undefined>
  /** Removes all files of a chat, also those without a row. */
  removeAll(chat: ChatKey): Promise<void>
}

/** Returns the files of chats. The contents are in the folder, everything else is in the database. */
export function createFiles(database: Database, folder: string): Files {
  const { build, sql } = database
  const folderOf = ({ ownerId, chatId }: ChatKey) => join(folder, nameOf(ownerId), nameOf(chatId))
  const rowsOf = (chat: ChatKey, id: string) =>
    readRows(
      database,
      build.selectFrom('files').selectAll().where(ofChat(chat)).where('id', '=', id),
      fileRow,
    )

  return {
    async keep(chat, file) {
      const id = `file_${randomHex(16)}`
      const path = await writeDurably(folderOf(chat), id, file.bytes)
      try {
        await sql.write([statement(build.insertInto('files').values(rowOf(chat, { ...file, id })))])
      } catch (error) {
        // The chat was removed, or the database failed. Without a row nobody would ever find these bytes again.
        await rm(path, { force: true })
        throw error
      }
      return id
    },

    async write(chat, { id, bytes }) {
      const written = await stat(join(folderOf(chat), id)).catch(absent)
      if (written === undefined) await writeDurably(folderOf(chat), id, bytes)
    },

    async find(chat, id) {
      const [row] = await rowsOf(chat, id)
      return row && { id: row.id, mediaType: row.media_type, byteCount: row.bytes }
    },

    async read(chat, id) {
      const [row] = await rowsOf(chat, id)
      if (row === undefined) return undefined
      // The path is made from the id in the row, which this program chose, and not from the id in the request.
      const bytes = await readFile(join(folderOf(chat), row.id)).catch(absent)
      return bytes === undefined ? undefined : { mediaType: row.media_type, bytes }
    },

    async removeAll(chat) {
      const rows = build.deleteFrom('files').where(ofChat(chat))
      // The rows go first, so that there is never a row without its bytes.
      await sql.write([statement(rows)])
      await rm(folderOf(chat), { recursive: true, force: true })
    },
  }
}

/** Part of saving a message: saves the row of one of its files. The chat may have the same file already. */
export function insertFile({ build }: Database, chat: ChatKey, file: MessageFile): Statement {
  return statement(
    build
      .insertInto('files')
      .values(rowOf(chat, file))
      .onConflict(conflict => conflict.columns(['owner_id', 'chat_id', 'id']).doNothing()),
  )
}

function rowOf(chat: ChatKey, { id, mediaType, bytes, at }: MessageFile): Schema['files'] {
  return { ...chatColumns(chat), id, media_type: mediaType, bytes: bytes.byteLength, created_at: at }
}

/** Writes a file whole or not at all, even if the process dies meanwhile. Returns its path. */
async function writeDurably(folder: string, name: string, bytes: Uint8Array): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, name)
  // The same file may be written twice at once, so each write has a name of its own.
  const temporary = `${path}.${randomHex(8)}.part`
  try {
    const file = await open(temporary, 'wx', 0o600)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  await syncFolder(folder)
  return path
}

/** Makes a rename durable. Windows cannot open folders, and does not need this. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)$/

/**
 * Returns the name of a folder for an id. Some file systems refuse some ids, or take `A` and `a` for the same name. Such
 * an id becomes a hash. The hash begins with `~`, which no id contains.
 */
function nameOf(id: string): string {
  if (/^[a-z0-9_-]+$/.test(id) && !reserved.test(id)) return id
  return `~${createHash('sha256').update(id).digest('hex')}`
}

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}
