import { cp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { startS3Server } from '@throughline/testing/files/s3-server'
import { ask, loadChat } from '@throughline/testing/http/chat-requests'
import { readLog } from '@throughline/testing/http/read-log'
import { SseBytes, sseEventsIn } from '@throughline/testing/http/sse-bytes'
import { startBundledServer } from '@throughline/testing/server/child-server'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { expect, test } from 'vitest'
import { run } from '../../src/main.ts'
import { backupSocketPath } from '../../src/maintenance/backup-socket.ts'
import { fakeTerminal } from '../fake-terminal.ts'

async function backup(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const terminal = fakeTerminal()
  const code = await run(['backup', ...words], { ...terminal.shell, env })
  return { code, text: terminal.text }
}

const done = (folder: string, target: string) =>
  new RegExp(`^${folder} is backed up in ${target}: database [\\d.]+ (kB|MB), 0 files 0 B\\.\n$`)

test('a server that runs is backed up, loses its data, and is restored entry by entry', async () => {
  await using place = await temporaryFolder()
  const data = join(place.path, 'data')
  const target = join(place.path, 'backup')
  const before = await startBundledServer(data)
  await (await ask(before.url)).text()
  const [messages, entries] = [await loadChat(before.url), await readLog(before.url)]
  expect(await backup([target], { THROUGHLINE_DATA: data })).toEqual({
    code: 0,
    text: expect.stringMatching(done(data, target)),
  })
  // What comes after the backup is not in it.
  await (await ask(before.url, { messageId: 'lost' })).text()
  await (await ask(before.url, { chatId: 'later' })).text()
  const seen = (await loadChat(before.url)).position
  await before.end('SIGKILL')
  await rm(data, { recursive: true })

  await cp(target, data, { recursive: true })
  await using restored = await startBundledServer(data)
  const { position, ...saved } = messages
  const loaded = await loadChat(restored.url)
  expect(loaded).toMatchObject(saved)
  expect(await readLog(restored.url)).toEqual(entries)
  expect((await fetch(`${restored.url}/api/chats/later/messages`)).status).toBe(404)
  // The server goes on from there, and who saw what is lost gets nothing of the new answer as its rest.
  await (await ask(restored.url, { messageId: 'next' })).text()
  for (const known of [seen, position]) {
    await using log = new SseBytes(
      await fetch(`${restored.url}/api/chats/chat/log`, { headers: { 'last-event-id': known } }),
    )
    while (sseEventsIn(log.bytes).length === 0) await log.more()
    expect(sseEventsIn(log.bytes)).toMatchObject([{ event: 'reset' }])
  }
})

test('a server that is stopped is backed up too, also after it was killed', async () => {
  await using place = await temporaryFolder()
  const data = join(place.path, 'data')
  const server = await startBundledServer(data)
  await (await ask(server.url)).text()
  await server.end('SIGKILL')
  // The socket of the killed server is still there, and nobody listens to it.
  expect((await readdir(data)).includes('throughline.sqlite-backup.sock')).toBe(true)
  const target = join(place.path, 'backup')
  expect((await backup([target, '--data', data])).text).toMatch(done(data, target))
  await using restored = await startBundledServer(target)
  expect((await loadChat(restored.url)).messages).toHaveLength(2)
})

test('data in Postgres is not mistaken for the folder: the command says how to back it up', async () => {
  await using place = await temporaryFolder()
  const data = join(place.path, 'data')
  const server = await startBundledServer(data)
  await server.end('SIGTERM')
  const target = join(place.path, 'backup')
  const env = { DATABASE_URL: 'postgres://ada:very-secret@db/app', THROUGHLINE_DATA: data }
  const refused = await backup([target], env)
  expect(refused).toEqual({ code: 1, text: expect.stringContaining('pg_dump --format=custom') })
  expect(refused.text).toContain('use its own versions or replication')
  expect(refused.text).not.toContain('very-secret')
  // A folder that is named is backed up, such as the one from which the data came.
  expect((await backup([target, '--data', data], env)).text).toMatch(done(data, target))
})

test('whoever backs up a server with a bucket is told that its files are elsewhere', async () => {
  await using place = await temporaryFolder()
  await using bucket = await startS3Server()
  const data = join(place.path, 'data')
  const { accessKeyId, secretAccessKey, region } = bucket.options
  const env = {
    THROUGHLINE_FILES: `s3://test-bucket?region=${region}&endpoint=${bucket.endpoint}`,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
  }
  const server = await startBundledServer(data, env)
  const sentence = 'The files in the bucket of THROUGHLINE_FILES are not in it.'
  // The server knows it, even when the one who asks does not.
  const running = await backup([join(place.path, 'one'), '--data', data])
  await server.end('SIGTERM')
  const stopped = await backup([join(place.path, 'two'), '--data', data], env)
  expect([running.code, stopped.code]).toEqual([0, 0])
  expect([running.text, stopped.text]).toEqual([
    expect.stringContaining(sentence),
    expect.stringContaining(sentence),
  ])
})

test('the socket is for the user of the server alone, and takes nothing but the path of a backup', async () => {
  await using place = await temporaryFolder()
  const data = join(place.path, 'data')
  await using _server = await startBundledServer(data)
  const path = backupSocketPath(data)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const socket = connect(path)
  socket.end('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 8\r\nconnection: close\r\n\r\n../there')
  const reply = (await Array.fromAsync(socket)).join('')
  expect(reply).toContain('Send the absolute path of the backup')
})

test.each([
  [[], 'Name the new folder of the backup. See "throughline help backup".\n'],
  [['a', 'b'], 'Name the new folder of the backup. See "throughline help backup".\n'],
])('%j is refused', async (words, text) => {
  expect(await backup(words)).toEqual({ code: 1, text })
})

test('a folder without data, and a target that exists, are named', async () => {
  await using place = await temporaryFolder()
  expect(await backup(['copy', '--data', place.path])).toEqual({
    code: 1,
    text: `There is no data in ${place.path}. Name the folder with --data, or with THROUGHLINE_DATA.\n`,
  })
  const data = join(place.path, 'data')
  await using _server = await startBundledServer(data)
  const target = join(place.path, 'taken')
  await writeFile(target, 'My notes.')
  expect(await backup([target, '--data', data])).toEqual({
    code: 1,
    text: `There is something at ${target} already. Name a folder that does not exist.\n`,
  })
})
