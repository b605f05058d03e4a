import { isChatId, isOwnerId } from '@throughline/protocol'
import { loadChat } from '@throughline/testing/http/chat-requests'
import { idOf } from '@throughline/testing/log/id-of'
import { startTestServer } from '@throughline/testing/server/test-server'
import { saveHistory } from '@throughline/testing/store/save-history'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonPieces, jsonSlices } from '../../src/http/respond/json-slices.ts'

const chat = { ownerId: idOf(isOwnerId, 'local'), chatId: idOf(isChatId, 'chat') }

test('the pieces of a JSON text are together what JSON.stringify returns', () => {
  fc.assert(
    fc.property(fc.jsonValue(), value => {
      expect([...jsonPieces(value)].join('')).toBe(JSON.stringify(value))
      expect([...jsonSlices(value)].join('')).toBe(JSON.stringify(value))
    }),
  )
  const sparse = { a: undefined, b: [undefined, 1], c: {} }
  expect([...jsonPieces(sparse)].join('')).toBe(JSON.stringify(sparse))
})

test('a long value is cut into slices of about 64 KB', () => {
  const messages = Array.from({ length: 300 }, () => ({ parts: [{ text: 'x'.repeat(1_000) }] }))
  const lengths = [...jsonSlices({ messages })].map(slice => slice.length)
  expect(lengths.length).toBeGreaterThan(3)
  expect(Math.max(...lengths)).toBeLessThan(70_000)
})

test('a chat of 3,000 messages comes whole and in order, in all forms and to all readers at once', async () => {
  await using server = await startTestServer()
  await saveHistory(server.store, { ...chat, count: 3_000 })
  const expected = Array.from({ length: 3_000 }, (_, index) => `old-${index}`)
  const readers = Array.from({ length: 5 }, () => loadChat(server.url))
  for (const { messages } of await Promise.all(readers))
    expect(messages.map(({ id }) => id)).toEqual(expected)
  const session = await (await fetch(`${server.url}/sessions/chat`)).json()
  expect(session.messages).toHaveLength(3_000)
  expect(session.messages[2_999]).toMatchObject({ id: 'old-2999', content: 'Message 2999' })
})

test('a long response has the same headers as a short one, and a HEAD request gets them alone', async () => {
  await using server = await startTestServer()
  await saveHistory(server.store, { ...chat, count: 3_000 })
  const address = `${server.url}/api/chats/chat/messages`
  const names = ['content-type', 'cache-control', 'x-content-type-options']
  const headersOf = ({ headers }: Response) => names.map(name => headers.get(name))
  const short = await fetch(`${address}?limit=2`)
  const long = await fetch(address)
  expect(headersOf(long)).toEqual(headersOf(short))
  expect(long.headers.get('x-request-id')).not.toBeNull()
  expect((await long.json()).messages).toHaveLength(3_000)
  const head = await fetch(address, { method: 'HEAD' })
  expect(headersOf(head)).toEqual(headersOf(short))
  expect(await head.text()).toBe('')
})

test('a reader that leaves in the middle of a long response harms nobody', async () => {
  await using server = await startTestServer()
  await saveHistory(server.store, { ...chat, count: 3_000 })
  const leaving = new AbortController()
  const response = await fetch(`${server.url}/api/chats/chat/messages`, { signal: leaving.signal })
  leaving.abort()
  await expect(response.text()).rejects.toThrow()
  expect((await loadChat(server.url)).messages).toHaveLength(3_000)
})
