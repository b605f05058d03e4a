import { connect, type Socket } from 'node:net'
import type { Store } from '@throughline/store/testing'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { ask, problemOf, sendJson } from '@throughline/testing/http/chat-requests'
import { startTestServer, type TestServerOptions } from '@throughline/testing/server/test-server'
import { waitLimitMs } from '@throughline/testing/waits/wait-limit'
import { expect, test } from 'vitest'

const length = 4 * 1024 * 1024
const agents = [scriptedAgent('assistant', [say('x'.repeat(length)), finish])]

test('all who read a copy at the same time share its bytes, also when they are slow', async () => {
  await using context = await startSharing()
  const { address, stop, loads } = context
  const readers = await Promise.all(Array.from({ length: 5 }, () => slowReader(address)))
  expect(loads()).toBe(1)
  expect(await (await fetch(address)).text()).toHaveLength(await lengthOf(address))
  expect(loads()).toBe(1)
  await stop()
  expect(await problemOf(await fetch(address))).toMatchObject({ code: 'share-not-found' })
  for (const reader of readers) reader.destroy()
})

test('a reader who takes nothing for too long is cut off, and the copy leaves the memory', async () => {
  await using context = await startSharing({ maxStallMs: 1_000 })
  const { address, loads } = context
  const reader = await slowReader(address)
  await expect
    .poll(
      async () => {
        expect((await (await fetch(address)).text()).length).toBeGreaterThan(length)
        return loads()
      },
      { timeout: waitLimitMs() },
    )
    .toBeGreaterThan(1)
  reader.destroy()
})

/** Starts a server with a long chat that is shared, and counts how often its copy is loaded. */
async function startSharing(options: TestServerOptions = {}) {
  let loads = 0
  const counted = ({ shares, ...store }: Store) => ({
    ...store,
    shares: {
      ...shares,
      messages(key: string) {
        loads += 1
        return shares.messages(key)
      },
    },
  })
  const server = await startTestServer({ agents, wrapStore: counted, ...options })
  const { url } = server
  await (await ask(url)).text()
  const { key } = await (await sendJson(`${url}/api/chats/chat/share`, {})).json()
  return {
    address: `${url}/api/shared/${key}`,
    loads: () => loads,
    stop: () => fetch(`${url}/api/chats/chat/share/${key}`, { method: 'DELETE' }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** Asks for an address, and stops to read when the response has begun. */
async function slowReader(address: string): Promise<Socket> {
  const { hostname, port, pathname, host } = new URL(address)
  const socket = connect({ host: hostname, port: Number(port) }).on('error', () => undefined)
  socket.write(`GET ${pathname} HTTP/1.1\r\nhost: ${host}\r\n\r\n`)
  await new Promise<void>(resolve => {
    socket.once('data', () => {
      socket.pause()
      resolve()
    })
  })
  return socket
}

async function lengthOf(address: string): Promise<number> {
  return Number((await fetch(address, { method: 'HEAD' })).headers.get('content-length'))
}
