import { logName } from '@throughline/log'
import { startS3Server } from '@throughline/testing/files/s3-server'
import { testDatabase } from '@throughline/testing/postgres/test-database'
import { ada, adasChat, at, bob, bobsChat, testChat } from '@throughline/testing/store/store-rows'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { bucketBytes } from '../../src/file-bytes/bucket-bytes.ts'
import { compactStore } from '../../src/open/compact-store.ts'
import { openPostgresStore } from '../../src/open/open-postgres-store.ts'
import { openStore } from '../../src/open/open-store.ts'

const picture = (text: string) => ({
  mediaType: 'image/png',
  bytes: new TextEncoder().encode(text),
  at: at(1),
})

async function textOf(
  file: Promise<{ readonly bytes: Uint8Array } | undefined>,
): Promise<string | undefined> {
  const read = await file
  return read && Buffer.from(read.bytes).toString()
}

test('a store that begins to use a bucket still finds the files in its folder', async () => {
  await using folder = await temporaryFolder()
  await using server = await startS3Server()
  const first = await openStore(folder.path)
  await first.chats.create(ada, testChat())
  const old = await first.files.keep(adasChat, picture('old'))
  expect(first.files.location).toBe(`${folder.path}/files`)
  await first.close()

  const store = await openStore(folder.path, { fileBytes: bucketBytes(server.options) })
  expect(store.files.location).toMatch(/^s3:\/\/test-bucket\/files at 127\.0\.0\.1:\d+$/)
  const id = await store.files.keep(adasChat, picture('new'))
  expect([...server.objects.keys()]).toEqual([`files/ada/chat/${id}`])
  expect(await textOf(store.files.read(adasChat, old))).toBe('old')
  expect(await textOf(store.files.read(adasChat, id))).toBe('new')
  expect(await store.files.read(bobsChat, id)).toBeUndefined()
  await store.chats.remove(adasChat, at(2))
  await store.chats.create(ada, testChat())
  expect(server.objects.size).toBe(0)
  expect(await store.files.read(adasChat, old)).toBeUndefined()
  await store.close()
})

test('while the bucket is away a file is refused, nothing of it is saved, and no file is lost', async () => {
  await using folder = await temporaryFolder()
  await using server = await startS3Server()
  const store = await openStore(folder.path, { fileBytes: bucketBytes(server.options) })
  await store.chats.create(ada, testChat())
  const id = await store.files.keep(adasChat, picture('kept'))
  server.setDown(true)
  await expect(store.files.keep(adasChat, picture('lost'))).rejects.toMatchObject({ code: 'unreachable' })
  await expect(store.files.read(adasChat, id)).rejects.toMatchObject({ code: 'unreachable' })
  expect((await store.files.find(adasChat, id))?.byteCount).toBe(4)
  server.setDown(false)
  expect(await textOf(store.files.read(adasChat, id))).toBe('kept')
  expect(server.objects.size).toBe(1)
  await store.close()
})

test('a chat whose files cannot be removed is hidden, and the next process removes them', async () => {
  await using folder = await temporaryFolder()
  await using server = await startS3Server()
  const reports: string[] = []
  const options = {
    fileBytes: bucketBytes(server.options),
    report: (problem: string) => void reports.push(problem),
  }
  const store = await openStore(folder.path, options)
  for (const owner of [ada, bob]) await store.chats.create(owner, testChat())
  await store.files.keep(adasChat, picture('ada’s'))
  const ofBob = await store.files.keep(bobsChat, picture('bob’s'))
  server.setDown(true)
  await expect(store.chats.remove(adasChat, at(2))).rejects.toMatchObject({ code: 'unreachable' })
  expect(await store.chats.get(adasChat)).toBeUndefined()
  expect(reports.join()).toContain('not all of it is deleted yet: The bucket test-bucket')
  await store.close()
  expect(server.objects.size).toBe(2)

  server.setDown(false)
  const next = await openStore(folder.path, options)
  // A new chat of the same id waits until nothing is left of the old one.
  await next.chats.create(ada, testChat())
  expect([...server.objects.keys()]).toEqual([`files/bob/chat/${ofBob}`])
  expect((await next.log.open(logName(adasChat))).seq).toBe(0)
  await next.close()
})

test('compacting finishes a removal in the bucket, or says that the bucket is away', async () => {
  await using folder = await temporaryFolder()
  await using server = await startS3Server()
  const options = { fileBytes: bucketBytes(server.options) }
  const store = await openStore(folder.path, options)
  await store.chats.create(ada, testChat())
  await store.files.keep(adasChat, picture('ada’s'))
  server.setDown(true)
  await store.chats.remove(adasChat, at(2)).catch(() => undefined)
  await store.close()
  await expect(compactStore(folder.path, options)).rejects.toThrow(
    /cannot be compacted: The bucket test-bucket .* does not respond/,
  )
  server.setDown(false)
  expect((await compactStore(folder.path, options)).finishedRemovals).toBe(1)
  expect(server.objects.size).toBe(0)
})

test('on Postgres, files are in the database and every process reads them; a bucket that comes later is used for new ones', async () => {
  await using database = await testDatabase()
  await using server = await startS3Server()
  const [one, other] = [await openPostgresStore(database.url), await openPostgresStore(database.url)]
  expect(one.files.location).toBe('the database')
  await one.chats.create(ada, testChat())
  const old = await one.files.keep(adasChat, picture('old'))
  expect(await textOf(other.files.read(adasChat, old))).toBe('old')
  expect(await other.files.read(bobsChat, old)).toBeUndefined()
  await one.close()
  const next = await openPostgresStore(database.url, { fileBytes: bucketBytes(server.options) })
  const id = await next.files.keep(adasChat, picture('new'))
  expect([...server.objects.keys()]).toEqual([`files/ada/chat/${id}`])
  expect(await textOf(next.files.read(adasChat, old))).toBe('old')
  await next.chats.remove(adasChat, at(2))
  expect(server.objects.size).toBe(0)
  await next.chats.create(ada, testChat())
  await expect(other.files.read(adasChat, old)).resolves.toBeUndefined()
  await Promise.all([next.close(), other.close()])
})
