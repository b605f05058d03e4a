import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { ask } from '@throughline/testing/http/chat-requests'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { temporaryStores } from '@throughline/testing/store/temporary-store'
import { describe, expect, test } from 'vitest'

const alice = { authorization: 'Bearer the-token-of-alice' }
const bob = { authorization: 'Bearer the-token-of-bob' }
const tokens = new Map([
  ['the-token-of-alice', ownerIdOf('alice')],
  ['the-token-of-bob', ownerIdOf('bob')],
])
const keys = [{ name: 'OPENAI_API_KEY', isSet: true }]

describe.each(temporaryStores)('on $name', ({ temporaryStore: openStore }) => {
  test('an operator reads how the server is doing', async () => {
    await using server = await startTestServer({ openStore, keys })
    const { isShared } = server.store
    const status = await read(server.url)
    expect(status).toEqual({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      agents: [{ name: 'assistant', displayName: expect.any(String) }],
      store: { status: 'ok' },
      operator: {
        nodeVersion: process.versions.node,
        upSeconds: expect.any(Number),
        database: {
          kind: isShared ? 'postgres' : 'sqlite',
          version: expect.any(String),
          databaseBytes: expect.any(Number),
          ...(isShared ? {} : { freeBytes: expect.any(Number), walBytes: expect.any(Number) }),
        },
        keys,
        runs: 0,
        waitingSubmissions: 0,
        viewers: 0,
        quarantined: 0,
        deadlyRuns: [],
        ...(isShared ? { nodes: 1 } : {}),
      },
    })
  })
})

test.each([
  ['nobody is named, and there are several people', undefined, [false, false]],
  ['some are named', ['bob'], [false, true]],
])('when %s, only operators see more', async (_, operators, expected) => {
  await using server = await startTestServer({ tokens, operators, keys })
  const seen = await Promise.all([alice, bob].map(headers => read(server.url, headers)))
  expect(seen.map(status => 'operator' in status)).toEqual(expected)
  expect(seen.map(({ store }) => store)).toEqual([{ status: 'ok' }, { status: 'ok' }])
})

test('the only person with a token is an operator, unless the application knows more people', async () => {
  const only = new Map([['the-token-of-alice', ownerIdOf('alice')]])
  await using alone = await startTestServer({ tokens: only })
  await using embedded = await startTestServer({ tokens: only, authenticate: () => undefined })
  expect('operator' in (await read(alone.url, alice))).toBe(true)
  expect('operator' in (await read(embedded.url, alice))).toBe(false)
})

test('a store that does not respond is told, and what it would say is left out', async () => {
  const away = () => Promise.reject(new Error('away'))
  const health = async () => ({ status: 'unreachable' as const, problem: 'db.example:5432 is away.' })
  await using server = await startTestServer({
    wrapStore: store => ({ ...store, health, sizes: away, facts: away }),
    tokens,
    operators: ['alice'],
  })
  const seen = await read(server.url, alice)
  expect(seen).toMatchObject({
    store: { status: 'unreachable' },
    operator: { problem: 'db.example:5432 is away.', database: {} },
  })
  expect(JSON.stringify(await read(server.url, bob))).not.toContain('db.example')
})

test('a person reads what they have used by day, and nothing of others', async () => {
  const stepEnd = {
    type: 'step-end' as const,
    model: 'openai:gpt-5',
    usage: { inputTokens: 1_000, outputTokens: 100, totalTokens: 1_100 },
  }
  const agent = scriptedAgent('assistant', [{ type: 'step-start' }, say('Hi.'), stepEnd, finish])
  const now = () => new Date('2026-11-16T10:00:00Z')
  await using server = await startTestServer({ tokens, agents: [agent], now })
  for (const chatId of ['one', 'two']) await (await ask(server.url, { chatId, headers: alice })).text()
  const usage = await (await fetch(`${server.url}/api/usage?days=7`, { headers: alice })).json()
  expect(usage).toEqual({
    from: '2026-11-10',
    to: '2026-11-16',
    days: [
      {
        day: '2026-11-16',
        agent: 'assistant',
        model: 'openai:gpt-5',
        inputTokens: 2_000,
        outputTokens: 200,
        cost: 0.0045,
        unpricedTokens: 0,
      },
    ],
  })
  const others = await (await fetch(`${server.url}/api/usage`, { headers: bob })).json()
  expect(others).toEqual({ from: '2026-10-18', to: '2026-11-16', days: [] })
})

test.each(['0', '367', '-1', '1.5', 'all', ''])('days=%s is refused', async days => {
  await using server = await startTestServer()
  const response = await fetch(`${server.url}/api/usage?days=${days}`)
  expect([response.status, (await response.json()).code]).toEqual([400, 'invalid-days'])
})

async function read(url: string, headers: Readonly<Record<string, string>> = {}) {
  return (await fetch(`${url}/api/status`, { headers })).json()
}
