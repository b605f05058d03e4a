import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { resumedFetch } from '../../src/mcp/resumed-fetch.ts'

const request = { method: 'POST', body: '{"jsonrpc":"2.0","id":7,"method":"tools/call"}' }
const result = 'data: {"jsonrpc":"2.0","id":7,"result":{}}\n\n'

test('a stream that ends before its response goes on after its last event, when the server wants it to', async () => {
  const seen: unknown[] = []
  await using server = await serve(async (incoming, response) => {
    seen.push([incoming.method, incoming.headers['last-event-id'], await text(incoming)])
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (incoming.method === 'POST') return response.end('id: a\nretry: 1234\ndata:\n\n')
    return response.end(`id: b\n${result}`)
  })
  const pauses: number[] = []
  const pause = async (ms: number) => pauses.push(ms)
  const response = await resumedFetch(fetch, { retries: 2, pause })(server.url, request)
  expect(await response.text()).toContain(`id: b\n${result}`)
  expect(pauses).toEqual([1234])
  expect(seen).toEqual([
    ['POST', undefined, request.body],
    ['GET', 'a', ''],
  ])
})

test('a connection that breaks is resumed as often as the configuration says, and the wait is limited', async () => {
  let count = 0
  await using server = await serve((incoming, response) => {
    count += 1
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (incoming.method === 'POST') response.write('id: a\nretry: 99999999\ndata: {}\n\ndata: half of an ev')
    setImmediate(() => response.destroy())
  })
  const pauses: number[] = []
  const pause = async (ms: number) => pauses.push(ms)
  const response = await resumedFetch(fetch, { retries: 2, pause })(server.url, request)
  await expect(response.text()).rejects.toThrow()
  expect(pauses).toEqual([30_000, 30_000])
  expect(count).toBe(3)
})

test.each([
  ['has sent its response', result],
  ['has no ids', 'data: {}\n\n'],
])('a stream that %s is not asked for again', async (_, body) => {
  let count = 0
  await using server = await serve((_incoming, response) => {
    count += 1
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(body)
  })
  const response = await resumedFetch(fetch, { retries: 2 })(server.url, request)
  expect(await response.text()).toBe(body)
  expect(count).toBe(1)
})

async function serve(handle: (incoming: IncomingMessage, response: ServerResponse) => unknown) {
  const server = createServer(handle)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}
