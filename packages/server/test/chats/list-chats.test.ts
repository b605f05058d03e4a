import { ask, problemOf, sendJson } from '@throughline/testing/http/chat-requests'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'
import { excerptAround } from '../../src/http/chats/chats-routes.ts'

const tokens = new Map([
  ['ada-token', ownerIdOf('ada')],
  ['bob-token', ownerIdOf('bob')],
])
const as = (token: string) => ({ authorization: `Bearer ${token}` })

test('a search returns the chats of the person who asks, with a line around what was found', async () => {
  await using server = await startTestServer({ tokens })
  const headers = as('ada-token')
  const text = `${'x'.repeat(100)}\n\nthe harbour password 密码 ${'y'.repeat(100)}`
  await (await ask(server.url, { headers, text })).text()
  await sendJson(`${server.url}/api/chats`, { id: 'titled', title: 'A harbour' }, { headers })
  const search = async (query: string, token = 'ada-token') =>
    (await fetch(`${server.url}/api/chats?q=${encodeURIComponent(query)}`, { headers: as(token) })).json()

  const { chats, isComplete } = await search(' Harbour ')
  expect(chats).toHaveLength(2)
  expect(chats).toContainEqual(expect.objectContaining({ id: 'titled', activity: 'idle' }))
  expect(chats).toContainEqual(
    expect.objectContaining({
      id: 'chat',
      excerpt: expect.stringMatching(/^…x+ the harbour password 密码 y+…$/),
    }),
  )
  expect(isComplete).toBe(true)
  expect((await search('密码')).chats).toHaveLength(1)
  expect((await search('harbour', 'bob-token')).chats).toEqual([])
  expect((await search('\0zebra')).chats).toEqual([])
  expect((await search('  ')).chats).toHaveLength(2)
  const tooLong = await fetch(`${server.url}/api/chats?q=${'x'.repeat(201)}`, { headers })
  expect(await problemOf(tooLong)).toMatchObject({ status: 400, code: 'query-too-long' })
})

test('an excerpt is one line, has what was found, and cuts no character in two', () => {
  expect(excerptAround('Short\n text', 'text')).toBe('Short text')
  const cut = excerptAround(`${'🧪'.repeat(40)}x needle ${'🧪'.repeat(60)}`, 'NEEDLE')
  expect(cut).toMatch(/^…(?:🧪)+x needle (?:🧪)+…$/u)
})

test('a chat is pinned and unpinned, alone or with a new title, by its owner only', async () => {
  await using server = await startTestServer({ tokens })
  const headers = as('ada-token')
  await sendJson(`${server.url}/api/chats`, { id: 'plans', title: 'Plans' }, { headers })
  const change = (body: unknown, token = 'ada-token') =>
    sendJson(`${server.url}/api/chats/plans`, body, { method: 'PATCH', headers: as(token) })
  const listed = async () => (await (await fetch(`${server.url}/api/chats`, { headers })).json()).chats[0]
  expect((await change({ pinned: true }, 'bob-token')).status).toBe(404)
  expect((await change({ pinned: true })).status).toBe(200)
  expect(await listed()).toMatchObject({ title: 'Plans', pinnedAt: expect.any(String) })
  await change({ pinned: false, title: 'Old plans' })
  expect(await listed()).toMatchObject({ title: 'Old plans' })
  expect(await listed()).not.toHaveProperty('pinnedAt')
  expect(await problemOf(await change({}))).toMatchObject({ status: 400, code: 'invalid-body' })
})
