import { createHash } from 'node:crypto'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type ChatKey, randomHex } from '@throughline/protocol/ids'
import { chatColumns, type Database, fileRow, ofChat, readRows, statement } from './schema.ts'

export interface NewFile {
  readonly mediaType: string
  readonly bytes: Uint8Array
  readonly at: string
}

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
  /** Returns `undefined` when the chat has no such file. */
  read(chat: ChatKey, id: string): Promise<StoredFile | undefined>
  /** Removes all files of a chat, also those without a row. */
  removeAll(chat: ChatKey): Promise<void>
}

export function createFiles(database: Database, folder: string): Files {
  const { build, sql } = database
  const folderOf = ({ ownerId, chatId }: ChatKey) => join(folder, nameOf(ownerId), nameOf(chatId))

  return {
    async keep(chat, { mediaType, bytes, at }) {
      const id = `file_${randomHex(16)}`
      const path = await writeDurably(folderOf(chat), id, bytes)
      const row = {
        ...chatColumns(chat),
        id,
        media_type: mediaType,
        bytes: bytes.byteLength,
        created_at: at,
      }
      try {
        await sql.write([statement(build.insertInto('files').values(row))])
      } catch (error) {
        // The chat was removed, or the database failed. Without a row nobody would ever find these bytes again.
        await rm(path, { force: true })
        throw error
      }
      return id
    },

    async read(chat, id) {
      const query = build.selectFrom('files').selectAll().where(ofChat(chat)).where('id', '=', id)
      const [row] = await readRows(database, query, fileRow)
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

/** Writes a file whole or not at all, even if the process dies meanwhile. Returns its path. */
async function writeDurably(folder: string, name: string, bytes: Uint8Array): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, name)
  const temporary = `${path}.part`
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
