import type { OwnerId } from '@throughline/protocol'
import { problemOf } from '@throughline/testing/http/chat-requests'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'

test('how many people have a token makes no work for a request, known or not', async () => {
  const people = Array.from({ length: 5_000 }, (_, index) => ownerIdOf(`person-${index}`))
  const tokens = new CountingMap(people.map(ownerId => [`the-token-of-${ownerId}`, ownerId]))
  await using server = await startTestServer({ tokens })
  expect(await statusWith(server.url, 'the-token-of-person-4999')).toBe(200)
  const before = tokens.reads
  for (let count = 0; count < 20; count++) {
    expect(await statusWith(server.url, 'no-such-token-at-all')).toBe(401)
    expect(await statusWith(server.url, 'the-token-of-person-4998')).toBe(200)
    expect((await fetch(`${server.url}/api/chats`)).status).toBe(401)
  }
  expect(tokens.reads - before).toBe(0)
})

test('tokens of a function are valid as long as it returns them, and without any nobody gets in', async () => {
  let tokens = new Map([['the-token-of-alice', ownerIdOf('alice')]])
  await using server = await startTestServer({ tokens: () => tokens })
  expect(await statusWith(server.url, 'the-token-of-alice')).toBe(200)
  tokens = new Map([['a-new-token-of-alice', ownerIdOf('alice')]])
  expect(await statusWith(server.url, 'the-token-of-alice')).toBe(401)
  expect(await statusWith(server.url, 'a-new-token-of-alice')).toBe(200)
  tokens = new Map()
  expect(await statusWith(server.url, 'a-new-token-of-alice')).toBe(401)
  const anonymous = await fetch(`${server.url}/api/chats`)
  expect(await problemOf(anonymous)).toMatchObject({ status: 401, code: 'token-required' })
})

test('a server whose tokens come from a function may listen on every address', async () => {
  await using server = await startTestServer({ host: '0.0.0.0', tokens: () => new Map() })
  const { port } = new URL(server.url)
  expect((await fetch(`http://127.0.0.1:${port}/api/chats`)).status).toBe(401)
})

async function statusWith(url: string, token: string): Promise<number> {
  const response = await fetch(`${url}/api/chats`, { headers: { authorization: `Bearer ${token}` } })
  await response.body?.cancel()
  return response.status
}

/** Counts how many tokens are looked at. */
class CountingMap extends Map<string, OwnerId> {
  reads = 0

  override *[Symbol.iterator](): MapIterator<[string, OwnerId]> {
    for (const pair of super[Symbol.iterator]()) {
      this.reads++
      yield pair
    }
  }
}
