import type { ListedChat } from '@throughline/protocol'
import { startFaultProxy } from '@throughline/testing/faults/fault-proxy'
import { sendJson } from '@throughline/testing/http/chat-requests'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { expect, test, vi } from 'vitest'
import { receiveChats } from '../../src/chats/receive-chats.ts'

const backoff = { firstMs: 1, maxMs: 20 }

test('the list comes first, then every change, and after each cut the list again', async () => {
  await using server = await startTestServer()
  // Each connection is cut in the middle of its list, except the last one.
  await using proxy = await startFaultProxy(server.url, connection =>
    connection < 3 ? { type: 'reset', afterBytes: 600 + connection } : { type: 'none' },
  )
  await create(server.url, 'first')
  const stop = new AbortController()
  const events = receiveChats({ url: proxy.url, signal: stop.signal, backoff })
  expect(titlesIn(await events.next())).toEqual(['first'])
  await create(server.url, 'second')
  expect((await events.next()).value).toMatchObject({ type: 'chat', chat: { title: 'second' } })
  proxy.resetAll()
  expect(titlesIn(await events.next()).toSorted()).toEqual(['first', 'second'])
  stop.abort()
  expect(await events.next()).toEqual({ done: true, value: undefined })
  expect(proxy.connectionCount).toBeGreaterThan(3)
})

test('a refusal is thrown, because no retry can mend it', async () => {
  await using server = await startTestServer({ tokens: new Map([['token', ownerIdOf('ada')]]) })
  const { signal } = new AbortController()
  await expect(receiveChats({ url: server.url, signal, backoff }).next()).rejects.toMatchObject({
    code: 'token-required',
  })
  const headers = () => ({ authorization: 'Bearer token' })
  const events = receiveChats({ url: server.url, signal, backoff, headers })
  expect(titlesIn(await events.next())).toEqual([])
  await events.return()
})

test('an event of another form is an error that says so', async () => {
  const headers = { 'content-type': 'text/event-stream' }
  const fetch = async () => new Response('data: {"type":"chat","chat":{"id":"a b"}}\n\n', { headers })
  const { signal } = new AbortController()
  await expect(receiveChats({ fetch, signal, backoff }).next()).rejects.toMatchObject({
    code: 'broken-stream',
  })
})

test('a page in place of the list is bad data, and is not asked for again', async () => {
  const fetch = vi.fn(
    async () => new Response('<h1>Welcome</h1>', { headers: { 'content-type': 'text/html' } }),
  )
  const { signal } = new AbortController()
  await expect(receiveChats({ fetch, signal, backoff }).next()).rejects.toMatchObject({ code: 'bad-data' })
  expect(fetch).toHaveBeenCalledTimes(1)
})

async function create(url: string, title: string): Promise<void> {
  await sendJson(`${url}/api/chats`, { title })
}

function titlesIn(result: Awaited<ReturnType<ReturnType<typeof receiveChats>['next']>>): readonly string[] {
  const event = result.value
  const chats: readonly ListedChat[] = event?.type === 'list' ? event.chats : []
  return chats.map(({ title }) => title)
}
