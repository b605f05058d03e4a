import { MasterAgent } from '@throughline/agents'
import { mcpTools } from '@throughline/agents/internal'
import { calling, saying, scriptedModel, toolResultsOf } from '@throughline/testing/agent/scripted-model'
import { ask, sendJson } from '@throughline/testing/http/chat-requests'
import {
  type AuthorizationServer,
  startAuthorizationServer,
} from '@throughline/testing/mcp/authorization-server'
import { type McpHttpServer, startMcpHttpServer } from '@throughline/testing/mcp/mcp-servers'
import { ownerIdOf, startTestServer, type TestServer } from '@throughline/testing/server/test-server'
import { temporaryStore } from '@throughline/testing/store/temporary-store'
import type { MockLanguageModelV4 } from 'ai/test'
import { expect, test } from 'vitest'
import { agentSystem } from '../../src/who/agent-system.ts'

const alice = { authorization: 'Bearer alice' }
const bob = { authorization: 'Bearer bob' }

test('each person signs in for themselves, and an agent calls the server as the person it works for', async () => {
  await using world = await startWorld()
  expect(await statusOf(world, alice)).toBe('signed-out')
  expect(await askAgent(world, alice)).toContain('has to sign in at \\"tickets\\" first, so nothing was done')
  await signIn(world, 'Alice', alice)
  expect(await statusOf(world, alice)).toBe('signed-in')
  expect(await statusOf(world, bob)).toBe('signed-out')
  expect(await askAgent(world, alice)).toContain('Alice with')
  expect(await askAgent(world, bob)).toContain('has to sign in')
  await signIn(world, 'Bob', bob)
  expect(await askAgent(world, bob)).toContain('Bob with')
  expect(await askAgent(world, alice)).toContain('Alice with')
})

test('the tokens are for this server, are renewed when they expire, and end when they are revoked', async () => {
  await using world = await startWorld()
  const { authorization, mcp } = world
  await signIn(world, 'Alice', alice)
  expect(authorization.tokenRequests).toMatchObject([
    { grant_type: 'authorization_code', resource: mcp.url, code_verifier: expect.stringMatching(/^.{43,}$/) },
  ])
  for (let round = 0; round < 2; round += 1) {
    authorization.expireAccess()
    expect(await askAgent(world, alice)).toContain('Alice with')
  }
  const renewals = authorization.tokenRequests.slice(1)
  expect(renewals.map(each => each['grant_type'])).toEqual(['refresh_token', 'refresh_token'])
  authorization.revokeAll()
  expect(await askAgent(world, alice)).toContain('has to sign in')
  expect(await statusOf(world, alice)).toBe('signed-out')
})

test('a server that returns the token of its caller does not make it readable', async () => {
  await using world = await startWorld()
  await signIn(world, 'Alice', alice)
  const seen = await askAgent(world, alice)
  expect(seen).toContain('Alice with Bearer [secret]')
  expect(seen).not.toMatch(/access-|refresh-/)
})

test('a sign-in can be ended once, and only by the person who began it', async () => {
  await using world = await startWorld()
  const callback = await followAddress(world, 'Alice', alice)
  const refused = await finish(world, callback, bob)
  expect([refused.status, await refused.json()]).toMatchObject([
    409,
    { code: 'sign-in-failed', why: 'unknown' },
  ])
  expect((await finish(world, { ...callback, state: 'another' }, alice)).status).toBe(409)
  expect((await finish(world, callback, alice)).status).toBe(200)
  expect((await finish(world, callback, alice)).status).toBe(409)
  expect(await statusOf(world, bob)).toBe('signed-out')
})

test('a response of another authorization server is refused, and one that says no', async () => {
  await using world = await startWorld()
  const mixedUp = await followAddress(world, 'Alice', alice)
  const refused = await finish(world, { ...mixedUp, iss: 'https://other.example' }, alice)
  expect(await refused.json()).toMatchObject({ why: 'refused' })
  const { iss: _, ...nameless } = await followAddress(world, 'Alice', alice)
  expect(await (await finish(world, nameless, alice)).json()).toMatchObject({ why: 'refused' })
  const { code: __, ...denied } = await followAddress(world, 'Alice', alice)
  const told = await finish(world, { ...denied, error: 'access_denied' }, alice)
  expect(await told.json()).toMatchObject({ why: 'denied' })
  expect(world.authorization.tokenRequests).toEqual([])
})

test('a person who took too long begins again', async () => {
  let now = new Date()
  await using world = await startWorld(() => now)
  const callback = await followAddress(world, 'Alice', alice)
  now = new Date(now.getTime() + 11 * 60_000)
  expect(await (await finish(world, callback, alice)).json()).toMatchObject({ why: 'too-late' })
})

test('the code goes only to a page that may use the server', async () => {
  await using world = await startWorld()
  const url = `${world.server.url}/api/connections/tickets/sign-in`
  const origin = { ...alice, origin: world.server.url }
  const elsewhere = await sendJson(
    url,
    { redirectUrl: 'https://evil.example/connected' },
    { headers: origin },
  )
  expect([elsewhere.status, (await elsewhere.json()).code]).toEqual([400, 'foreign-redirect'])
  const nowhere = await sendJson(
    url,
    { redirectUrl: `${world.server.url}/connected/tickets` },
    { headers: alice },
  )
  expect(nowhere.status).toBe(400)
})

test('after disconnecting, the tokens are gone, and the server is not called any more', async () => {
  await using world = await startWorld()
  await signIn(world, 'Alice', alice)
  await signIn(world, 'Alice', alice)
  // The second time it is known already.
  expect(world.authorization.registrations).toBe(1)
  const gone = await fetch(`${world.server.url}/api/connections/tickets`, {
    method: 'DELETE',
    headers: alice,
  })
  expect(gone.status).toBe(204)
  const key = { ownerId: ownerIdOf('alice'), server: 'tickets' }
  expect(await world.server.store.mcpSignIns.read(key)).toBeUndefined()
  const before = world.mcp.authorizations.length
  expect(await askAgent(world, alice)).toContain('has to sign in')
  expect(world.mcp.authorizations).toHaveLength(before)
})

interface World {
  readonly server: TestServer
  readonly mcp: McpHttpServer
  readonly authorization: AuthorizationServer
  readonly model: MockLanguageModelV4
  /** Who opens the page of the authorization server. */
  visitor: string
}

async function startWorld(now?: () => Date): Promise<World & AsyncDisposable> {
  await using started = new AsyncDisposableStack()
  const world: { visitor: string } = { visitor: '' }
  const authorization = started.use(await startAuthorizationServer({ person: () => world.visitor }))
  const mcp = started.use(await startMcpHttpServer({ authorizedBy: authorization }))
  const fixture = await temporaryStore()
  const { tools, signIns, close } = await mcpTools(
    { tickets: { url: mcp.url, oauth: true, tools: ['whoami'] } },
    { signIns: fixture.store.mcpSignIns, now },
  )
  started.defer(close)
  const model = scriptedModel({ master: [[calling('tickets_whoami', {})], [saying('Done.')]] })
  const server = started.use(
    await startTestServer({
      openStore: async () => fixture,
      tokens: new Map([
        ['alice', ownerIdOf('alice')],
        ['bob', ownerIdOf('bob')],
      ]),
      agents: [new MasterAgent({ instructions: 'You are master.', model })],
      system: agentSystem({ tools, connections: signIns }),
    }),
  )
  const running = started.move()
  return Object.assign(world, {
    server,
    mcp,
    authorization,
    model,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  })
}

/** Returns all results of tools that the model has read in this answer, and what everybody could see of it. */
async function askAgent(
  { server, model }: World,
  headers: Readonly<Record<string, string>>,
): Promise<string> {
  const before = model.doStreamCalls.length
  const shown = await (await ask(server.url, { chatId: crypto.randomUUID(), headers })).text()
  expect(model.doStreamCalls.length).toBe(before + 2)
  const [last = ''] = JSON.stringify(JSON.parse(toolResultsOf(model, 'master')).slice(-1)).split('\u0000')
  return `${last} ${shown}`
}

async function statusOf({ server }: World, headers: Readonly<Record<string, string>>): Promise<string> {
  const response = await fetch(`${server.url}/api/connections`, { headers })
  const { connections } = await response.json()
  expect(connections).toHaveLength(1)
  expect(connections[0].name).toBe('tickets')
  return connections[0].status
}

async function signIn(world: World, visitor: string, headers: Readonly<Record<string, string>>) {
  const response = await finish(world, await followAddress(world, visitor, headers), headers)
  expect([response.status, await response.json()]).toEqual([200, { status: 'signed-in' }])
}

/** Begins a sign-in, and opens the address. Returns what the person brings back. */
async function followAddress(
  world: World,
  visitor: string,
  headers: Readonly<Record<string, string>>,
): Promise<Readonly<Record<string, string>>> {
  world.visitor = visitor
  const { url } = world.server
  const begun = await sendJson(
    `${url}/api/connections/tickets/sign-in`,
    { redirectUrl: `${url}/connected/tickets` },
    { headers: { ...headers, origin: url } },
  )
  expect(begun.status).toBe(200)
  const { address } = await begun.json()
  const sentBack = await fetch(address, { redirect: 'manual' })
  const location = new URL(sentBack.headers.get('location') ?? '')
  expect(location.href.startsWith(`${url}/connected/tickets?`)).toBe(true)
  return Object.fromEntries(location.searchParams)
}

function finish(
  { server }: World,
  callback: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  return sendJson(`${server.url}/api/connections/tickets/finish`, callback, { headers })
}
