import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { testLog, textDraft } from '@throughline/testing/log/log-drafts'
import { createLogTables, openTestLog } from '@throughline/testing/postgres/postgres-log'
import { testDatabase } from '@throughline/testing/postgres/test-database'
import { expect, test } from 'vitest'

test('whoever takes a log over does not wait for a statement to time out that such an append blocks', async () => {
  await using database = await testDatabase()
  await createLogTables(database.url)
  await using proxy = await startSilencer(database.url)
  const options = { notificationsUrl: database.url, maxWaitMs: 1, timeoutMs: 60_000 }
  await using silenced = await openTestLog(proxy.url, options)
  await using next = await openTestLog(database.url)
  const log = testLog('chat')
  const lease = await silenced.store.acquire(log)
  proxy.silence()
  const failed = silenced.store.append(lease, 0, [textDraft('one')]).catch((error: unknown) => error)
  await proxy.isSilent
  // As long as a node is silent before others take its runs over, and longer than a slow sender needs.
  await setTimeout(6_000)
  const began = performance.now()
  await next.store.acquire(log)
  expect(performance.now() - began).toBeLessThan(5_000)
  expect(await failed).toMatchObject({ name: 'SqlError' })
})

test('an append whose sender fell silent before its last byte does not block the next holder', async () => {
  await using database = await testDatabase()
  await createLogTables(database.url)
  await using proxy = await startSilencer(database.url)
  // This one does not send again, so that the other one has to free the log by itself.
  await using silenced = await openTestLog(proxy.url, {
    notificationsUrl: database.url,
    timeoutMs: 6_000,
    maxWaitMs: 1,
  })
  await using next = await openTestLog(database.url, { timeoutMs: 1_500 })
  const log = testLog('chat')
  const lease = await silenced.store.acquire(log)
  await silenced.store.append(lease, 0, [textDraft('one')])
  proxy.silence()
  const failed = silenced.store.append(lease, 1, [textDraft('two')]).catch((error: unknown) => error)
  await proxy.isSilent
  const taken = await next.store.acquire(log)
  expect(taken.head.seq).toBe(1)
  expect(await next.store.append(taken, 1, [textDraft('by the next holder')])).toHaveLength(1)
  expect(await failed).toMatchObject({ name: 'SqlError', code: 'unreachable' })
})

/** `Sync`: with this message the server commits. */
const sync = Buffer.from([0x53, 0, 0, 0, 4])

/** A proxy that passes everything on, until it is told to hold the `Sync` of one statement back for ever. */
async function startSilencer(databaseUrl: string) {
  const { hostname, port } = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const silent = Promise.withResolvers<void>()
  let isWanted = false
  const server = createServer(client => {
    const upstream = connect(Number(port), hostname)
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => undefined))
    let isSilent = false
    client.on('data', bytes => {
      const isCut = isWanted && bytes.includes('log-append')
      if (isCut) {
        isWanted = false
        isSilent = true
        upstream.write(bytes.subarray(0, bytes.lastIndexOf(sync)))
        silent.resolve()
      }
      if (!isSilent) upstream.write(bytes)
    })
    upstream.on('data', bytes => client.write(bytes))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('The proxy has no port.')
  const url = new URL(databaseUrl)
  url.port = String(address.port)
  return {
    url: url.href,
    isSilent: silent.promise,
    silence() {
      isWanted = true
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
