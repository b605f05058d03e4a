import { AsyncLocalStorage } from 'node:async_hooks'
import { join } from 'node:path'
import { createStore, openSqlite } from '@throughline/store/testing'
import { heldAgent, say } from '@throughline/testing/agent/scripted-agent'
import { ask, problemOf, userMessage } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { freePort } from '@throughline/testing/server/free-port'
import { defaultAgents } from '@throughline/testing/server/test-server'
import { limitedStore } from '@throughline/testing/store/limited-store'
import { temporaryFolder } from '@throughline/testing/store/temporary-folder'
import { temporaryStore } from '@throughline/testing/store/temporary-store'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { createThroughline } from '../../src/create-throughline.ts'
import { startServer } from '../../src/start-server.ts'

const logger = pino({ level: 'silent' })

test('/health and /ready read no row, however many runs go on, and mostly nothing at all', async () => {
  await using folder = await temporaryFolder()
  // What the server reads by itself meanwhile, such as the queue every two seconds, is not counted.
  const inRequest = new AsyncLocalStorage<true>()
  const { thread, statements } = await countedThread(join(folder.path, 'throughline.sqlite'), inRequest)
  const store = await createStore(thread, folder.path, { report: () => undefined })
  const { agent, letGo } = heldAgent('assistant', { before: [say('I begin.')] })
  const throughline = await createThroughline({ store, agents: [agent], logger })
  const get = (path: string) =>
    inRequest.run(true, () => throughline.fetch(new Request(`http://localhost${path}`)))
  const viewers = await Promise.all(
    ['a', 'b', 'c'].map(async chatId => new SseBytes(await throughline.fetch(question(chatId)))),
  )
  await Promise.all(viewers.map(viewer => viewer.until('I begin.')))
  // What a request reads is counted.
  expect((await get('/api/chats')).status).toBe(200)
  expect(statements.length).toBeGreaterThan(0)
  statements.length = 0
  for (const path of ['/health', '/ready'])
    for (let count = 0; count < 50; count += 1) expect((await get(path)).status, path).toBe(200)
  expect(statements.filter(sql => sql !== 'select 1')).toEqual([])
  expect(statements.length).toBeLessThan(50)
  letGo()
  await Promise.all(viewers.map(viewer => viewer.rest()))
  await throughline.close()
  await store.close()
})

test('/ready is 503 until the server has started, and /health is 200 meanwhile', async () => {
  await using opened = await temporaryStore()
  const { store } = opened
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>()
  const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>()
  const channelChats = {
    ...store.channelChats,
    async undelivered() {
      asked()
      await held
      return []
    },
  }
  const port = await freePort()
  const starting = startServer({ store: { ...store, channelChats }, agents: defaultAgents(), logger, port })
  await isAsked
  const url = `http://127.0.0.1:${port}`
  expect((await fetch(`${url}/health`)).status).toBe(200)
  const early = await fetch(`${url}/ready`)
  expect(early.headers.get('retry-after')).not.toBeNull()
  expect(await problemOf(early)).toMatchObject({ status: 503, code: 'starting' })
  letGo()
  await using _server = await starting
  const ready = await fetch(`${url}/ready`)
  expect({ status: ready.status, body: await ready.json() }).toEqual({
    status: 200,
    body: { status: 'ready' },
  })
})

test('/ready is 503 as soon as the server shuts down', async () => {
  await using opened = await temporaryStore()
  const throughline = await createThroughline({ store: opened.store, agents: defaultAgents(), logger })
  expect((await throughline.fetch(new Request('http://localhost/ready'))).status).toBe(200)
  const closed = throughline.close()
  const late = await throughline.fetch(new Request('http://localhost/ready'))
  expect(await problemOf(late)).toMatchObject({ status: 503, code: 'shutting-down' })
  await closed
})

test('/ready is 503 while the store cannot be written, and 200 again afterwards', async () => {
  await using disk = await limitedStore()
  await using server = await startServer({ store: disk.store, agents: defaultAgents(), logger, port: 0 })
  expect((await fetch(`${server.url}/ready`)).status).toBe(200)
  await disk.lock()
  // The first write that fails shows it.
  await (await ask(server.url)).text()
  const refused = await fetch(`${server.url}/ready`)
  expect(await problemOf(refused)).toMatchObject({ status: 503, code: 'store-unwritable' })
  await disk.makeRoom()
  await expect.poll(async () => (await fetch(`${server.url}/ready`)).status).toBe(200)
})

test('a store that the application closes after the server is no fault in the log', async () => {
  await using opened = await temporaryStore()
  const lines: string[] = []
  const asked = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  const store = {
    ...opened.store,
    // Asked before the end of the server, and answered after the end of the store.
    async health() {
      asked.resolve()
      await closed.promise
      return opened.store.health()
    },
  }
  const throughline = await createThroughline({
    store,
    agents: defaultAgents(),
    logger: pino({ level: 'error' }, { write: line => void lines.push(line) }),
  })
  const response = throughline.fetch(new Request('http://localhost/health'))
  await asked.promise
  const over = throughline.close()
  // From here on it refuses everything, and the application may close the store.
  const agents = () => throughline.fetch(new Request('http://localhost/api/agents'))
  await expect.poll(async () => (await agents()).status).toBe(503)
  await opened.store.close()
  closed.resolve()
  await over
  expect((await response).status).toBe(503)
  expect(lines).toEqual([])
})

function question(chatId: string): Request {
  const body = JSON.stringify({ id: chatId, messages: [userMessage()] })
  const headers = { 'content-type': 'application/json' }
  return new Request('http://localhost/api/chat', { method: 'POST', headers, body })
}

/** Opens a database, and lists every statement and every work on a log that it gets inside of a counted request. */
async function countedThread(path: string, inRequest: AsyncLocalStorage<true>) {
  const statements: string[] = []
  const note = (...texts: readonly string[]) => {
    if (inRequest.getStore() === true) statements.push(...texts)
  }
  const opened = await openSqlite(path)
  const thread: typeof opened = {
    write: work => opened.write(noted(work)),
    read: work => opened.read(noted(work)),
    writeLog(work) {
      note(work.type)
      return opened.writeLog(work)
    },
    readLog(work) {
      note(work.type)
      return opened.readLog(work)
    },
    append(...work) {
      note('append')
      return opened.append(...work)
    },
    compact: () => opened.compact(),
    backup: path => opened.backup(path),
    assertOpen: () => opened.assertOpen(),
    onFailure: listener => opened.onFailure(listener),
    close: () => opened.close(),
  }
  function noted(work: Parameters<typeof opened.read>[0]) {
    note(...work.map(({ sql }) => sql))
    return work
  }
  return { thread, statements }
}
