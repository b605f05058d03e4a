import { mkdir, open, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isChatId, isOwnerId } from '@throughline/protocol'
import { idOf } from '@throughline/testing/log/id-of'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { folderBytes } from '../src/file-bytes/folder-bytes.ts'
import { openStore } from '../src/open/open-store.ts'

// POSIX promises that a name survives a power loss after a sync of its folder, and of no other file or folder.

const chat = { ownerId: idOf(isOwnerId, 'ada'), chatId: idOf(isChatId, 'chat') }
const file = { id: 'file_1', bytes: new TextEncoder().encode('tide') }

/** Notes which files and folders are synced while it is used. */
async function watchSyncs(): Promise<
  { has(path: string): Promise<boolean>; clear(): void } & AsyncDisposable
> {
  await using handle = await open(import.meta.filename)
  const prototype: { sync: () => Promise<void> } = Object.getPrototypeOf(handle)
  const { sync } = prototype
  const synced = new Set<number>()
  prototype.sync = async function (this: typeof handle) {
    await sync.call(this)
    synced.add((await this.stat()).ino)
  }
  return {
    has: async path => synced.has((await stat(path)).ino),
    clear: () => synced.clear(),
    async [Symbol.asyncDispose]() {
      prototype.sync = sync
    },
  }
}

/** Returns which of these folders were not synced. */
async function unsynced(syncs: { has(path: string): Promise<boolean> }, paths: readonly string[]) {
  const found = await Promise.all(paths.map(async path => ((await syncs.has(path)) ? [] : [path])))
  return found.flat()
}

test('the name of a new file is safe in its folder, and so are the names of all folders that it is in', async () => {
  await using folder = await temporaryFolder()
  await using syncs = await watchSyncs()
  const files = join(folder.path, 'files')
  await folderBytes(files).write(chat, file)
  const above = [folder.path, files, join(files, 'ada'), join(files, 'ada/chat')]
  expect(await unsynced(syncs, [...above, join(files, 'ada/chat/file_1')])).toEqual([])
})

test('a file that is there already is made safe too, because whoever wrote it may have been killed before that', async () => {
  await using folder = await temporaryFolder()
  const files = join(folder.path, 'files')
  await folderBytes(files).write(chat, file)
  await using syncs = await watchSyncs()
  await folderBytes(files).write(chat, file)
  expect(await unsynced(syncs, [files, join(files, 'ada'), join(files, 'ada/chat')])).toEqual([])
})

test('a file that is removed does not come back, and neither do the files of a chat', async () => {
  await using folder = await temporaryFolder()
  const files = join(folder.path, 'files')
  const bytes = folderBytes(files)
  await bytes.write(chat, file)
  await using syncs = await watchSyncs()
  await bytes.remove(chat, file.id)
  expect(await syncs.has(join(files, 'ada/chat'))).toBe(true)
  syncs.clear()
  await bytes.removeAll(chat)
  expect(await syncs.has(join(files, 'ada'))).toBe(true)
  // Idempotent: there is nothing left to remove.
  await bytes.removeAll(chat)
  await rm(join(files, 'ada'), { recursive: true })
  await bytes.remove(chat, file.id)
  await bytes.removeAll(chat)
})

test('the data folder is safe in the folder above it, and so is each folder that was made on the way', async () => {
  await using folder = await temporaryFolder()
  await using syncs = await watchSyncs()
  const data = join(folder.path, 'var/lib/data')
  const store = await openStore(data)
  await store.close()
  expect(await unsynced(syncs, [folder.path, dirname(dirname(data)), dirname(data)])).toEqual([])
})

test('a data folder that was there already is made safe too', async () => {
  await using folder = await temporaryFolder()
  const data = join(folder.path, 'data')
  await mkdir(data)
  await using syncs = await watchSyncs()
  const store = await openStore(data)
  await store.close()
  expect(await unsynced(syncs, [folder.path])).toEqual([])
})

test('every folder of a backup is synced before the backup gets its name, and so is each folder above it', async () => {
  await using folder = await temporaryFolder()
  const store = await openStore(join(folder.path, 'data'))
  const at = new Date(0).toISOString()
  await store.chats.create(chat.ownerId, { id: chat.chatId, title: '', createdAt: at, updatedAt: at })
  await store.files.keep(chat, { mediaType: 'text/plain', bytes: file.bytes, at })
  await using syncs = await watchSyncs()
  const target = join(folder.path, 'backups/daily/monday')
  await store.backup?.(target)
  await store.close()
  const inside = ['', 'files', 'files/ada', 'files/ada/chat'].map(name => join(target, name))
  const above = [folder.path, join(folder.path, 'backups'), join(folder.path, 'backups/daily')]
  expect(await unsynced(syncs, [...inside, ...above])).toEqual([])
})
