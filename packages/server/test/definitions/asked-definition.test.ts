import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { asking, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { ask, loadAnswer, problemOf, sendJson, submit } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import {
  type DelegationOptions,
  delegating,
  startDelegation,
  subAgent,
} from '@throughline/testing/server/delegating-server'
import { ownerIdOf, startTestServer, type TestServer } from '@throughline/testing/server/test-server'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { startServer } from '../../src/start-server.ts'
import { agentSystem } from '../../src/who/agent-system.ts'

const writer = { description: 'Writes.', systemPrompt: 'You are writer.' }

test('a person talks to an agent that they have defined, in the chat and for another answer', async () => {
  const { server, model } = await start({ writer: [[saying('A poem.')]] })
  await using _ = server
  await put(server, 'writer', { ...writer, displayName: 'The writer' })
  await (await askFor(server, 'writer')).text()
  const answer = await loadAnswer(server.url)
  expect(answer.metadata).toMatchObject({
    senderName: 'The writer',
    agent: { kind: 'master', name: 'writer', depth: 0 },
  })
  expect(answer.parts).toContainEqual(expect.objectContaining({ text: 'A poem.' }))
  // Another answer comes from the same agent, although the request does not name it.
  const again = await sendJson(`${server.url}/api/chats/chat/answers`, { messageId: 'question' })
  expect(again.status).toBe(202)
  await (await fetch(`${server.url}/api/chat/chat/stream`)).text()
  expect(model.doStreamCalls).toHaveLength(2)
  expect((await loadAnswer(server.url)).metadata?.agent?.name).toBe('writer')
})

test('it has no tool that the master does not have, and delegates to those that it may ask', async () => {
  const { server, model } = await start(
    { editor: [[asking('writer')], [saying('Done.')]], writer: [[saying('A poem.')]] },
    { toolKeys: ['note'] },
  )
  await using _ = server
  await put(server, 'writer', writer)
  const editor = { systemPrompt: 'You are editor.', toolKeys: ['note', 'open-url'] }
  expect((await put(server, 'editor', { ...editor, allowedSubAgents: ['writer'] })).status).toBe(201)
  await (await askFor(server, 'editor')).text()
  expect(model.doStreamCalls[0]?.tools?.map(({ name }) => name).toSorted()).toEqual(['note', 'subAgent'])
  const answer = await loadAnswer(server.url)
  expect(JSON.stringify(answer.parts)).toContain('A poem.')
})

test('below it there are no more levels of sub-agents than below the master it stands for', async () => {
  const { server } = await start({ editor: [[asking('writer')], [saying('Alone.')]] }, { maxDepth: 1 })
  await using _ = server
  await put(server, 'writer', writer)
  await put(server, 'editor', {
    systemPrompt: 'You are editor.',
    allowedSubAgents: ['writer'],
    maxDepth: 5,
  })
  await (await askFor(server, 'editor')).text()
  expect(JSON.stringify((await loadAnswer(server.url)).parts)).toContain('MAX_DEPTH')
})

test('when the store fails after the run was claimed, the answer ends, and the chat is free', async () => {
  const { server } = await start({ writer: [[saying('A poem.')]] })
  await using _ = server
  await put(server, 'writer', writer)
  const { definitions } = server.store
  const read = definitions.get.bind(definitions)
  vi.spyOn(definitions, 'get')
    .mockImplementationOnce(read)
    .mockRejectedValueOnce(new Error('The database does not respond.'))
  await askFor(server, 'writer')
  await expect.poll(async () => (await loadAnswer(server.url)).metadata?.status).toBe('interrupted')
  await (await ask(server.url, { messageId: 'again', fields: { agent: 'writer' } })).text()
  await expect.poll(async () => (await loadAnswer(server.url)).metadata?.status).toBe('finished')
})

test('an agent that no master may delegate to, or that belongs to somebody else, is unknown', async () => {
  const { server } = await start({}, { allowedSubAgents: ['helper'], subAgents: [subAgent('helper')] })
  await using _ = server
  await put(server, 'writer', writer)
  const fields = { systemPrompt: 'You are theirs.' }
  const draft = { id: 'theirs', name: 'theirs', enabled: true, fields, updatedAt: '2026-01-01T00:00:00.000Z' }
  await server.store.definitions.create(ownerIdOf('somebody'), draft)
  // A sub-agent in code is not open to people either.
  for (const name of ['writer', 'theirs', 'helper', 'nobody'])
    expect(await problemOf(await askFor(server, name))).toMatchObject({ status: 400, code: 'unknown-agent' })
  expect((await listed(server)).subAgents).toMatchObject([{ name: 'helper' }, { answersPeople: false }])
})

test('one that is switched off does not answer', async () => {
  const { server } = await start({})
  await using _ = server
  await put(server, 'writer', { ...writer, enabled: false })
  expect(await problemOf(await askFor(server, 'writer'))).toMatchObject({ code: 'agent-disabled' })
  expect((await listed(server)).subAgents).toMatchObject([{ name: 'writer', answersPeople: false }])
})

test('an agent in code that is switched off does not exist for strangers; operators are told', async () => {
  const master = scriptedAgent('master', [say('Hello.'), finish])
  const resting = { ...scriptedAgent('resting', [finish]), isEnabled: false }
  await using server = await startTestServer({
    agents: [master, resting],
    tokens: new Map([
      ['alice-token-0123456789', ownerIdOf('alice')],
      ['bob-token-012345678901', ownerIdOf('bob')],
    ]),
    operators: ['alice'],
  })
  const asked = async (token: string, name: string) =>
    problemOf(
      await ask(server.url, { fields: { agent: name }, headers: { authorization: `Bearer ${token}` } }),
    )
  const [off, none] = await Promise.all(
    ['resting', 'nobody'].map(name => asked('bob-token-012345678901', name)),
  )
  expect(off).toMatchObject({
    status: 400,
    code: 'unknown-agent',
    detail: expect.stringContaining('resting'),
  })
  expect(off?.detail.replace('resting', 'nobody')).toBe(none?.detail)
  expect(await asked('alice-token-0123456789', 'resting')).toMatchObject({ code: 'agent-disabled' })
  const headers = { authorization: 'Bearer bob-token-012345678901' }
  expect(await (await fetch(`${server.url}/v1/models`, { headers })).json()).toMatchObject({
    data: [{ id: 'master' }],
  })
})

test('a name that stands for people who answer is not taken for a definition', async () => {
  const { server } = await start({})
  await using _ = server
  await put(server, 'operator', writer)
  expect(await problemOf(await askFor(server, 'operator'))).toMatchObject({ code: 'unknown-agent' })
})

test('a message that waits for an agent which is deleted meanwhile ends as failed', async () => {
  const said = Promise.withResolvers<void>()
  const { server } = await start({
    master: [
      async function* () {
        await said.promise
        yield saying('Done.')
      },
    ],
  })
  await using _ = server
  await put(server, 'writer', writer)
  await submit(server.url, { messageId: 'first' })
  const fields = { agent: 'writer', onBusy: 'queue', after: undefined }
  const waiting = submit(server.url, { messageId: 'second', fields })
  await expect.poll(async () => (await queueOf(server)).length).toBe(1)
  await fetch(`${server.url}/api/agents/writer`, { method: 'DELETE' })
  said.resolve()
  await waiting
  await expect.poll(async () => (await loadAnswer(server.url)).metadata?.status).toBe('failed')
})

test('its answer goes on after the process has died', async () => {
  const never = new Promise<never>(() => undefined)
  const turns = {
    writer: [
      async function* () {
        yield saying('A ')
        await never
      },
    ],
  }
  const { server: dead } = await start(turns)
  await using _ = dead
  await put(dead, 'writer', writer)
  await using stream = new SseBytes(await askFor(dead, 'writer'))
  await stream.until('"type":"text-delta"')
  const model = scriptedModel({ writer: [[saying('poem.')], [saying('poem.')]] })
  const { agents = [], system = agentSystem() } = delegating({ model })
  const options = { store: dead.store, agents, system, logger: pino({ level: 'silent' }), port: 0 }
  await using server = await startServer(options)
  await expect.poll(async () => (await loadAnswer(server.url)).metadata?.status).toBe('finished')
  expect(JSON.stringify((await loadAnswer(server.url)).parts)).toContain('poem.')
})

test('the list says what agents in code have, which variables a prompt has, and which models are offered', async () => {
  const { server } = await start(
    {},
    {
      toolKeys: ['note'],
      defaultModel: scriptedModel({}, 'own'),
      models: [scriptedModel({}, 'large'), 'acme/small'],
      limits: { maxDefinedOutputTokens: 500 },
    },
  )
  await using _ = server
  expect(await listed(server)).toMatchObject({
    agents: [{ name: 'master', model: 'test:scripted', toolKeys: ['note'], allowedSubAgents: ['*'] }],
    promptVariables: expect.arrayContaining(['currentDate', 'agentName']),
    definable: {
      models: [
        { provider: 'test', modelId: 'own' },
        { provider: 'test', modelId: 'large' },
        { provider: 'gateway', modelId: 'acme/small' },
      ],
      maxOutputTokens: 500,
    },
  })
})

async function start(turns: Parameters<typeof scriptedModel>[0], options: Partial<DelegationOptions> = {}) {
  const model = scriptedModel(turns)
  return { model, server: await startDelegation({ model, ...options }) }
}

function askFor({ url }: TestServer, agent: string): Promise<Response> {
  return ask(url, { fields: { agent } })
}

function put({ url }: TestServer, name: string, body: unknown): Promise<Response> {
  return sendJson(`${url}/api/agents/${name}`, body, { method: 'PUT' })
}

async function listed({ url }: TestServer) {
  return (await fetch(`${url}/api/agents`)).json()
}

async function queueOf({ url }: TestServer): Promise<readonly unknown[]> {
  return (await (await fetch(`${url}/api/chats/chat/queue`)).json()).queue ?? []
}
