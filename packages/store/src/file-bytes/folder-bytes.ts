import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type ChatKey, randomHex } from '@throughline/protocol'
import type { FileBytes } from './file-bytes.ts'
import { nameOf } from './id-names.ts'

/** Returns the files of chats in a folder: one folder for each owner, and in it one for each chat. */
export function folderBytes(folder: string): FileBytes {
  const folderOf = ({ ownerId, chatId }: ChatKey) => join(folder, nameOf(ownerId), nameOf(chatId))
  return {
    location: folder,

    async write(chat, { id, bytes }) {
      const written = await stat(join(folderOf(chat), id)).catch(absent)
      if (written === undefined) await writeDurably(folderOf(chat), id, bytes)
    },

    read: (chat, id) => readFile(join(folderOf(chat), id)).catch(absent),
    remove: (chat, id) => rm(join(folderOf(chat), id), { force: true }),
    removeAll: chat => rm(folderOf(chat), { recursive: true, force: true }),
  }
}

/** Writes a file whole or not at all, even if the process dies meanwhile. */
async function writeDurably(folder: string, name: string, bytes: Uint8Array): Promise<void> {
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

function absent(error: unknown): undefined {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
  throw error
}
