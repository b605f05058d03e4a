import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type ChatKey, randomHex } from '@throughline/protocol'
import { absent, syncFolder } from '../disk/folders.ts'
import { type FileBytes, folderNameOf } from './file-bytes.ts'

/** Returns the files of chats in a folder: one folder for each owner, and in it one for each chat. */
export function folderBytes(folder: string): FileBytes {
  const folderOf = ({ ownerId, chatId }: ChatKey) => join(folder, folderNameOf(ownerId), folderNameOf(chatId))
  return {
    location: folder,

    async write(chat, { id, bytes }) {
      const written = await stat(join(folderOf(chat), id)).catch(absent)
      if (written === undefined) await writeWhole(folderOf(chat), id, bytes)
      // The name of each folder is in the one above it. A file that was there already may not be safe yet: somebody else
      // writes it at this moment, or was killed just after writing it.
      const chain = [folderOf(chat), dirname(folderOf(chat)), folder, dirname(folder)]
      await Promise.all(chain.map(syncFolder))
    },

    read: (chat, id) => readFile(join(folderOf(chat), id)).catch(absent),

    async remove(chat, id) {
      await rm(join(folderOf(chat), id), { force: true })
      // Nobody would know of a file that comes back.
      await syncFolder(folderOf(chat)).catch(absent)
    },

    async removeAll(chat) {
      await rm(folderOf(chat), { recursive: true, force: true })
      await syncFolder(dirname(folderOf(chat))).catch(absent)
    },
  }
}

/** Writes a file whole or not at all, even if the process dies meanwhile. */
async function writeWhole(folder: string, name: string, bytes: Uint8Array): Promise<void> {
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
}
