import { readdir } from 'node:fs/promises'
import { isChatId, type OwnerId } from '@throughline/protocol'
import { idOf } from '@throughline/testing/log/id-of'
import {
  ada,
  adasChat,
  at,
  bob,
  bobsChat,
  chatId,
  startOf,
  testChat,
  testRun,
} from '@throughline/testing/store/store-rows'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { temporaryStore } from '@throughline/testing/store/temporary-store'
import { expect, test } from 'vitest'
import { openStore, type Store } from '../../src/open/open-store.ts'

const png = (text: string) => ({ mediaType: 'image/png', bytes: new TextEncoder().encode(text), at: at(1) })

async function withChat({ chats, files }: Store, ownerId: OwnerId, text: string): Promise<string> {
  await chats.create(ownerId, testChat())
  return files.keep({ ownerId, chatId }, png(text))
}

/** Every file below a folder, by its path in it. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  return entries.filter(entry => entry.isFile()).map(({ parentPath, name }) => `${parentPath}/${name}`)
}

test('a file is there when the store is opened again, under one name and whole', async () => {
  await using folder = await temporaryFolder()
  const first = await openStore(folder.path)
  const id = await withChat(first, ada, 'picture')
  await first.close()
  const second = await openStore(folder.path)
  const read = await second.files.read(adasChat, id)
  expect(read?.mediaType).toBe('image/png')
  expect(Buffer.from(read?.bytes ?? []).toString()).toBe('picture')
  expect(await filesIn(`${folder.path}/files`)).toEqual([`${folder.path}/files/ada/chat/${id}`])
  await second.close()
})

test('two owners cannot read each other’s files, though their chats have the same id', async () => {
  await using context = await temporaryStore()
  const { files } = context.store
  const ofAda = await withChat(context.store, ada, 'ada’s')
  const ofBob = await withChat(context.store, bob, 'bob’s')
  expect(await files.read(bobsChat, ofAda)).toBeUndefined()
  expect(await files.read(adasChat, ofBob)).toBeUndefined()
  await files.removeAll(bobsChat)
  expect(await files.read(bobsChat, ofBob)).toBeUndefined()
  expect(await files.read(adasChat, ofAda)).toBeDefined()
})

test('an id that names a path finds nothing', async () => {
  await using context = await temporaryStore()
  const { files } = context.store
  const id = await withChat(context.store, ada, 'ada’s')
  await withChat(context.store, bob, 'bob’s')
  for (const path of [`../../ada/chat/${id}`, '../../../throughline.sqlite', '..', '', `${id}.part`]) {
    expect(await files.read(bobsChat, path)).toBeUndefined()
  }
})

test('a chat’s files go with it, and a chat that is gone gets no new ones', async () => {
  await using context = await temporaryStore()
  const { store, folder } = context
  const id = await withChat(store, ada, 'picture')
  await store.files.removeAll(adasChat)
  await store.chats.remove(adasChat, at(0))
  await expect(store.files.keep(adasChat, png('late'))).rejects.toMatchObject({ code: 'constraint' })
  expect(await filesIn(`${folder}/files`)).toEqual([])
  await store.chats.create(ada, testChat())
  expect(await store.files.read(adasChat, id)).toBeUndefined()
})

test('chats whose ids differ only in case, or are no names for folders, do not share a folder', async () => {
  await using context = await temporaryStore()
  const { store, folder } = context
  const ids = ['a', 'A', 'con', 'x:y', 'x.', '...'].map(id => idOf(isChatId, id))
  for (const id of ids) {
    await store.chats.create(ada, { ...testChat(), id })
    await store.files.keep({ ownerId: ada, chatId: id }, png(id))
  }
  const folders = await readdir(`${folder}/files/ada`)
  expect(new Set(folders.map(name => name.toLowerCase())).size).toBe(ids.length)
  expect(folders.filter(name => !/^(?:a|~[0-9a-f]{64})$/.test(name))).toEqual([])
})

test('a file of a message can be read once its message is saved, and not before', async () => {
  await using context = await temporaryStore()
  const { store, folder } = context
  const file = { ...png('picture'), id: 'file_1' }
  await Promise.all([1, 2, 3].map(() => store.files.write(adasChat, file)))
  await store.files.write(adasChat, file)
  expect(await filesIn(`${folder}/files`)).toEqual([`${folder}/files/ada/chat/file_1`])
  expect(await store.files.find(adasChat, 'file_1')).toBeUndefined()
  expect(await store.files.read(adasChat, 'file_1')).toBeUndefined()
  const run = testRun('run')
  expect(await store.runs.claim(run, { ...startOf(run), files: [file, file] })).toBe(true)
  expect(await store.files.find(adasChat, 'file_1')).toEqual({
    id: 'file_1',
    mediaType: 'image/png',
    byteCount: 7,
  })
  expect(Buffer.from((await store.files.read(adasChat, 'file_1'))?.bytes ?? []).toString()).toBe('picture')
  expect(await store.files.find(bobsChat, 'file_1')).toBeUndefined()
  // Another message cannot be saved while the run goes on, and neither are its files.
  const late = testRun('late', { userMessageId: 'late' })
  const other = { ...png('other'), id: 'file_2' }
  expect(await store.runs.claim(late, { ...startOf(late), files: [other] })).toBe(false)
  expect(await store.files.find(adasChat, 'file_2')).toBeUndefined()
})
