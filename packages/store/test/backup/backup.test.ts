import { mkdir, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { logName } from '@throughline/log'
import { type Entry, isChatId, isOwnerId } from '@throughline/protocol'
import { idOf } from '@throughline/testing/log/id-of'
import { textDraft } from '@throughline/testing/log/log-drafts'
import { saveHistory } from '@throughline/testing/store/save-history'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { describe, expect, test } from 'vitest'
import { backUpStopped } from '../../src/backup/write-backup.ts'
import { openStore, type Store } from '../../src/open/open-store.ts'

const ownerId = idOf(isOwnerId, 'ada')
const at = new Date(0).toISOString()
const bytes = new TextEncoder().encode('The tide table of the harbour.')

describe('a backup while the store is written', () => {
  test('has every entry that was committed before it began, and no other than the store has, entry by entry', async () => {
    await using world = await openFilled()
    const { store, target } = world
    const before = await allEntries(store)
    const stop = world.writeForever()
    await world.backup(target)
    const written = await stop()
    // Entries were committed during the backup. Otherwise this shows nothing.
    expect(written).toBeGreaterThan(0)

    await using copy = await opened(target)
    const original = await allEntries(store)
    for (const [chatId, entries] of await allEntries(copy.store)) {
      expect(entries, chatId).toEqual(original.get(chatId)?.slice(0, entries.length))
      expect(entries.length, chatId).toBeGreaterThanOrEqual(before.get(chatId)?.length ?? 0)
    }
    expect([...(await allEntries(copy.store)).keys()]).toEqual([...original.keys()])
    const chat = { ownerId, chatId: idOf(isChatId, 'chat-0') }
    expect(await copy.store.messages.load(chat)).toEqual(await store.messages.load(chat))
    expect((await copy.store.messages.load(chat))?.messages.length).toBeGreaterThan(0)
    const file = await copy.store.files.read(chat, world.fileId)
    expect(file && Buffer.from(file.bytes).equals(bytes)).toBe(true)
    expect(file?.mediaType).toBe('text/plain')
  })

  test('is a sound database, which only its owner can read, and which a store can go on with', async () => {
    await using world = await openFilled()
    const result = await world.backup(world.target)
    expect(result).toMatchObject({ fileCount: 1, fileBytes: bytes.length })
    const path = join(world.target, 'throughline.sqlite')
    expect(result.databaseBytes).toBe((await stat(path)).size)
    expect((await readdir(world.target)).toSorted()).toEqual(['files', 'throughline.sqlite'])
    for (const [name, mode] of [
      ['', 0o700],
      ['throughline.sqlite', 0o600],
    ] as const)
      expect((await stat(join(world.target, name))).mode & 0o777, name).toBe(mode)
    const database = new DatabaseSync(path)
    expect(database.prepare('pragma integrity_check').get()).toEqual({ integrity_check: 'ok' })
    database.close()
    await using copy = await opened(world.target)
    const log = logName({ ownerId, chatId: idOf(isChatId, 'chat-0') })
    const lease = await copy.store.log.acquire(log)
    expect(await copy.store.log.append(lease, lease.head.seq, [textDraft('On it goes.')])).toHaveLength(1)
  })

  test('does not overwrite anything, and nothing else is left behind when it fails', async () => {
    await using world = await openFilled()
    await mkdir(world.target)
    await expect(world.backup(world.target)).rejects.toMatchObject({ name: 'BackupError', code: 'exists' })
    const unreachable = join(world.folder, 'throughline.sqlite', 'backup')
    await expect(world.backup(unreachable)).rejects.toMatchObject({ name: 'BackupError', code: 'failed' })
    expect(await readdir(world.target)).toEqual([])
    expect((await readdir(world.place)).filter(name => name.endsWith('.part'))).toEqual([])
    expect(await world.store.health()).toEqual({ status: 'ok' })
  })

  test('is made one at a time', async () => {
    await using world = await openFilled()
    const first = world.backup(world.target)
    await expect(world.backup(`${world.target}-2`)).rejects.toMatchObject({ code: 'busy' })
    await first
    await world.backup(`${world.target}-2`)
  })

  test('that the end of the store cuts off is not there', async () => {
    await using world = await openFilled()
    const backup = world.backup(world.target)
    const outcome = backup.then(
      () => 'complete',
      () => 'gone',
    )
    await world.close()
    const isComplete = (await outcome) === 'complete'
    const names = await readdir(world.place)
    expect(names.includes('backup')).toBe(isComplete)
    expect(names.filter(name => name.endsWith('.part'))).toEqual([])
  })
})

test('a backup of a stopped store is equal to it, and leaves it as it is', async () => {
  await using world = await openFilled()
  const entries = await allEntries(world.store)
  await world.close()
  expect(await backUpStopped(world.folder, world.target)).toMatchObject({ fileCount: 1 })
  for (const folder of [world.target, world.folder]) {
    await using copy = await opened(folder)
    expect(await allEntries(copy.store), folder).toEqual(entries)
  }
})

test('a store that another process uses cannot be copied from outside', async () => {
  await using world = await openFilled()
  await expect(backUpStopped(world.folder, world.target)).rejects.toMatchObject({ code: 'in-use' })
})

/** A store with three chats, three thousand messages, their logs, and a file. */
async function openFilled() {
  const place = await temporaryFolder()
  const folder = join(place.path, 'data')
  const store = await openStore(folder)
  const chats = ['chat-0', 'chat-1', 'chat-2'].map(chatId => ({ ownerId, chatId: idOf(isChatId, chatId) }))
  for (const chat of chats) await saveHistory(store, { ...chat, count: 1_000 })
  const [chat] = chats
  const fileId = chat && (await store.files.keep(chat, { mediaType: 'text/plain', bytes, at }))
  let isClosed = false
  const close = async () => {
    if (!isClosed) await store.close()
    isClosed = true
  }
  return {
    store,
    folder,
    place: place.path,
    target: join(place.path, 'backup'),
    fileId: fileId ?? '',
    close,
    backup(target: string) {
      if (store.backup === undefined) throw new TypeError('This store has no backup.')
      return store.backup(target)
    },
    /** Appends to all chats until it is stopped. Then returns how many entries it wrote. */
    writeForever() {
      let isOver = false
      const writing = chats.map(async each => {
        const lease = await store.log.acquire(logName(each))
        let { seq } = lease.head
        for (; !isOver; seq += 1) await store.log.append(lease, seq, [textDraft(`Piece ${seq}. `)])
        return seq - lease.head.seq
      })
      return async () => {
        isOver = true
        return (await Promise.all(writing)).reduce((sum, count) => sum + count, 0)
      }
    },
    async [Symbol.asyncDispose]() {
      await close()
      await place[Symbol.asyncDispose]()
    },
  }
}

async function opened(folder: string) {
  const store = await openStore(folder)
  return { store, [Symbol.asyncDispose]: () => store.close() }
}

/** Returns the entries of every chat's log, by chat. */
async function allEntries(store: Store): Promise<ReadonlyMap<string, readonly Entry[]>> {
  const chats = await store.chats.list(ownerId, { limit: 10 })
  const logs = chats.map(async ({ id }) => {
    const log = logName({ ownerId, chatId: id })
    const { epoch } = await store.log.open(log)
    const entries: Entry[] = []
    for (;;) {
      const page = await store.log.read(log, { epoch, seq: entries.length }, 500)
      if (page.length === 0) return [id, entries] as const
      entries.push(...page)
    }
  })
  return new Map(await Promise.all(logs))
}
