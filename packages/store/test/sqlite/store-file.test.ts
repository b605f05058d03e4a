import { copyFile, cp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { logName } from '@throughline/log'
import { adasChat } from '@throughline/testing/store/store-rows'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { backUpStopped } from '../../src/backup/write-backup.ts'
import { openStore } from '../../src/open/open-store.ts'

/** Opens the store in a folder, and returns the epoch of a log in it. */
async function epochIn(folder: string): Promise<string> {
  const store = await openStore(folder)
  const { epoch } = await store.log.open(logName(adasChat))
  await store.close()
  return epoch
}

/** A store that was opened once. */
async function filled() {
  const folder = await temporaryFolder()
  const data = join(folder.path, 'data')
  return {
    data,
    database: join(data, 'throughline.sqlite'),
    file: join(data, 'throughline.sqlite-origin'),
    copy: join(folder.path, 'copy'),
    epoch: await epochIn(data),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  }
}

/** Copies the files of a folder into those of another one, which stay the same files. `fs.cp` would make new ones. */
async function writeOver(from: string, to: string): Promise<void> {
  for (const entry of await readdir(from, { withFileTypes: true }))
    if (entry.isFile()) await copyFile(join(from, entry.name), join(to, entry.name))
}

test('a folder that is moved keeps its epochs', async () => {
  await using context = await filled()
  await rename(context.data, context.copy)
  expect(await epochIn(context.copy)).toBe(context.epoch)
  expect(await epochIn(context.copy)).toBe(context.epoch)
})

test('a copy has other epochs, and the original keeps its own', async () => {
  await using context = await filled()
  await cp(context.data, context.copy, { recursive: true })
  const epoch = await epochIn(context.copy)
  expect(epoch).not.toBe(context.epoch)
  expect(await epochIn(context.copy)).toBe(epoch)
  expect(await epochIn(context.data)).toBe(context.epoch)
})

test.each(['the database', 'the whole folder'])(
  'an earlier copy that is written over %s has other epochs',
  async what => {
    await using context = await filled()
    await cp(context.data, context.copy, { recursive: true })
    expect(await epochIn(context.data)).toBe(context.epoch)
    if (what === 'the database') await copyFile(join(context.copy, 'throughline.sqlite'), context.database)
    else await writeOver(context.copy, context.data)
    expect(await epochIn(context.data)).not.toBe(context.epoch)
  },
)

test('a snapshot of a running server that is written over the whole folder has other epochs, when the server was stopped', async () => {
  await using context = await filled()
  const store = await openStore(context.data)
  // Nothing is being written, so this is as whole as a snapshot.
  await cp(context.data, context.copy, { recursive: true })
  await store.close()
  await writeOver(context.copy, context.data)
  const epoch = await epochIn(context.data)
  expect(epoch).not.toBe(context.epoch)
  expect(await epochIn(context.data)).toBe(epoch)
})

test.each(['of a running server', 'of a stopped one'])(
  'a backup %s that is written over the database has other epochs, without a start in between',
  async whose => {
    await using context = await filled()
    if (whose === 'of a stopped one') await backUpStopped(context.data, context.copy)
    else {
      const store = await openStore(context.data)
      await store.backup?.(context.copy)
      await store.close()
    }
    await copyFile(join(context.copy, 'throughline.sqlite'), context.database)
    expect(await epochIn(context.data)).not.toBe(context.epoch)
  },
)

test('a start that was cut off changes nothing', async () => {
  await using context = await filled()
  await rename(context.file, `${context.file}.new`)
  expect(await epochIn(context.data)).toBe(context.epoch)
  await copyFile(context.database, `${context.file}.new`)
  expect(await epochIn(context.data)).toBe(context.epoch)
})

test('without the file beside it, a database has other epochs', async () => {
  await using context = await filled()
  await rm(context.file)
  expect(await epochIn(context.data)).not.toBe(context.epoch)
})

test('a database of the release before keeps its epochs; a copy of one is younger than its tables, and has others', async () => {
  await using context = await filled()
  const forget = (more = '') => {
    const database = new DatabaseSync(context.database)
    database.exec(`delete from store_origin; ${more}`)
    database.close()
  }
  forget()
  expect(await epochIn(context.data)).toBe(context.epoch)
  forget("update migrations set applied_at = '2026-01-01T00:00:00.000Z'")
  expect(await epochIn(context.data)).not.toBe(context.epoch)
})
