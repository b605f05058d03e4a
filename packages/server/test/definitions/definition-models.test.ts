import { asking, saying, scriptedModel, toolResultsOf } from '@throughline/testing/agent/scripted-model'
import { ask, loadAnswer, problemOf, sendJson } from '@throughline/testing/http/chat-requests'
import { type DelegationOptions, startDelegation } from '@throughline/testing/server/delegating-server'
import { ownerIdOf, type TestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'

const local = ownerIdOf('local')
const large = { provider: 'test', modelId: 'large' }

test('an agent runs on a model that is offered, with its parameters', async () => {
  const { server, offered } = await start({ writer: [[saying('A poem.')]] })
  await using _ = server
  const made = await put(server, { model: { ...large, params: { temperature: 0.5, maxOutputTokens: 500 } } })
  expect(made.status).toBe(201)
  await (await askWriter(server)).text()
  expect(JSON.stringify(await loadAnswer(server.url))).toContain('A poem.')
  expect(offered.doStreamCalls).toMatchObject([{ temperature: 0.5, maxOutputTokens: 500 }])
})

test.each([
  ['another model of the same provider', { provider: 'test', modelId: 'expensive-pro' }],
  ['a model of another provider', { provider: 'openai', modelId: 'large' }],
  ['the own model of a master, when that is not offered', { provider: 'test', modelId: 'scripted' }],
])('%s is refused, with those that are offered', async (_, model) => {
  const { server } = await start({})
  await using _server = server
  const problem = await problemOf(await put(server, { model }))
  expect(problem).toMatchObject({ status: 400, code: 'invalid-definition' })
  expect(JSON.stringify(problem)).toContain('Choose from test:large')
})

test('more output tokens than the operator allows are refused, and parameters out of range', async () => {
  const { server } = await start({})
  await using _ = server
  const refused = async (params: unknown) =>
    (await problemOf(await put(server, { model: { ...large, params } })))['errors']
  expect(await refused({ maxOutputTokens: 501 })).toEqual([
    {
      code: 'too-many-tokens',
      field: 'model.params.maxOutputTokens',
      message: 'maxOutputTokens is 501, and this server allows 500 at most. Ask for fewer, or leave it out.',
    },
  ])
  expect(await refused({ temperature: 3 })).toMatchObject([{ field: 'model.params.temperature' }])
  expect(await refused({ reasoningEffort: 'high' })).toMatchObject([{ field: 'model.params' }])
})

test('an agent whose model is not offered any more does not run: people are told, for models it does not exist', async () => {
  const { server, model } = await start({ master: [[asking('writer')], [saying('Done.')]] })
  await using _ = server
  await saveDirectly(server, { provider: 'test', modelId: 'gone' })
  expect(await problemOf(await askWriter(server))).toMatchObject({
    status: 409,
    code: 'model-not-offered',
    detail: expect.stringContaining('"test:gone"'),
  })
  const { subAgents } = await (await fetch(`${server.url}/api/agents`)).json()
  expect(subAgents).toMatchObject([{ answersPeople: false, warnings: [{ code: 'unknown-model' }] }])
  await (await ask(server.url, { chatId: 'delegated' })).text()
  expect(toolResultsOf(model, 'master')).toContain('NOT_FOUND')
})

test('a definition that was saved under a larger limit gets no more output than the limit of today', async () => {
  const { server, offered } = await start({ writer: [[saying('A poem.')]] })
  await using _ = server
  await saveDirectly(server, { ...large, params: { maxOutputTokens: 1_000_000 } })
  await (await askWriter(server)).text()
  expect(offered.doStreamCalls).toMatchObject([{ maxOutputTokens: 500 }])
})

/** Starts a server that offers the model `test:large`. */
async function start(turns: Parameters<typeof scriptedModel>[0], options: Partial<DelegationOptions> = {}) {
  const model = scriptedModel(turns)
  const offered = scriptedModel(turns, 'large')
  const limits = { maxDefinedOutputTokens: 500 }
  return { model, offered, server: await startDelegation({ model, models: [offered], limits, ...options }) }
}

function put({ url }: TestServer, fields: object): Promise<Response> {
  const body = { systemPrompt: 'You are writer.', ...fields }
  return sendJson(`${url}/api/agents/writer`, body, { method: 'PUT' })
}

function askWriter({ url }: TestServer): Promise<Response> {
  return ask(url, { fields: { agent: 'writer' } })
}

/** As an earlier configuration would have allowed it. */
async function saveDirectly({ store }: TestServer, model: object): Promise<void> {
  const fields = { systemPrompt: 'You are writer.', model }
  const draft = {
    id: 'agent_1',
    name: 'writer',
    enabled: true,
    fields,
    updatedAt: '2026-01-01T00:00:00.000Z',
  }
  await store.definitions.create(local, draft)
}
