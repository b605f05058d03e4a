import { connect, type Socket } from 'node:net'
import { currentFrame } from '@throughline/agents'
import type { Store } from '@throughline/store/testing'
import { finish, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { pictureBytes } from '@throughline/testing/browser/picture'
import { ask } from '@throughline/testing/http/chat-requests'
import { startTestServer } from '@throughline/testing/server/test-server'
import { waitLimitMs } from '@throughline/testing/waits/wait-limit'
import { expect, test } from 'vitest'

const length = 4 * 1024 * 1024
const bytes = Buffer.concat([pictureBytes, Buffer.alloc(length - pictureBytes.length)])

test('an owner who reads nothing of a file is cut off, and all who read it share its bytes', async () => {
  const addresses: string[] = []
  const agent = scriptedAgent('assistant', async function* () {
    addresses.push(await currentFrame().run.keepFile({ mediaType: 'image/png', bytes }))
    yield finish
  })
  let loads = 0
  const counted = (store: Store): Store => ({
    ...store,
    files: {
      ...store.files,
      read(...asked) {
        loads++
        return store.files.read(...asked)
      },
    },
  })
  await using server = await startTestServer({ agents: [agent], wrapStore: counted, maxStallMs: 1_000 })
  await (await ask(server.url)).text()
  const address = server.url + addresses[0]
  const readers = await Promise.all(Array.from({ length: 5 }, () => slowReader(address)))
  expect(loads).toBe(1)
  const whole = await fetch(address)
  expect(whole.headers.get('content-length')).toBe(`${length}`)
  expect((await whole.arrayBuffer()).byteLength).toBe(length)
  // When the last slow reader was cut off, the bytes are read anew.
  await expect
    .poll(
      async () => {
        await (await fetch(address)).arrayBuffer()
        return loads
      },
      { timeout: waitLimitMs() },
    )
    .toBeGreaterThan(1)
  for (const reader of readers) reader.destroy()
})

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
