import { defineAgent, MasterAgent, toolFactory } from '@throughline/agents'
import { calculatorTool, subAgentTool } from '@throughline/agents/testing'
import { asking, saying, scriptedModel, toolResultsOf } from '@throughline/testing/agent/scripted-model'
import { ask, problemOf, sendJson } from '@throughline/testing/http/chat-requests'
import { ownerIdOf, startTestServer, type TestServer } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'
import { agentSystem } from '../../src/who/agent-system.ts'

const writer = { description: 'Writes.', systemPrompt: 'You are writer.' }
const local = ownerIdOf('local')

test('an agent is made, shown, changed and deleted', async () => {
  await using server = await start()
  const made = await put(server, 'writer', {
    ...writer,
    toolKeys: ['calculator'],
    allowedSubAgents: ['coder'],
  })
  expect(made.status).toBe(201)
  const definition = await made.json()
  expect(definition).toEqual({
    ...writer,
    source: 'database',
    id: expect.stringMatching(/^agent_/),
    name: 'writer',
    displayName: 'writer',
    enabled: true,
    toolKeys: ['calculator'],
    allowedSubAgents: ['coder'],
    pageIds: [],
    version: 1,
    updatedAt: expect.stringMatching(/^\d{4}-/),
    warnings: [],
  })
  expect(await (await get(server, 'writer')).json()).toEqual(definition)

  const changed = await put(server, 'writer', { ...writer, enabled: false, maxSteps: 3, version: 1 })
  expect(changed.status).toBe(200)
  expect(await changed.json()).toMatchObject({ version: 2, enabled: false, maxSteps: 3, toolKeys: [] })

  expect((await remove(server, 'writer')).status).toBe(204)
  expect(await problemOf(await get(server, 'writer'))).toMatchObject({ status: 404, code: 'agent-not-found' })
  expect(await problemOf(await remove(server, 'writer'))).toMatchObject({
    status: 404,
    code: 'agent-not-found',
  })
})

test('the list has masters, then sub-agents from code and from the database, without their prompts', async () => {
  await using server = await start()
  await put(server, 'writer', writer)
  const list = await (await fetch(`${server.url}/api/agents`)).json()
  expect(list).toMatchObject({
    agents: [{ name: 'master' }],
    subAgents: [
      { name: 'coder', source: 'code', enabled: true },
      { name: 'writer', source: 'database', enabled: true, version: 1 },
    ],
  })
  expect(JSON.stringify(list)).not.toContain(writer.systemPrompt)
})

test('a change must name the version it replaces', async () => {
  await using server = await start()
  await put(server, 'writer', writer)
  await put(server, 'writer', { ...writer, version: 1 })
  for (const version of [undefined, 1, 3]) {
    const problem = await problemOf(await put(server, 'writer', { ...writer, version }))
    expect(problem).toMatchObject({ status: 409, code: 'stale-version', version: 2 })
  }
  expect(await problemOf(await put(server, 'nobody', { ...writer, version: 1 }))).toMatchObject({
    status: 404,
    code: 'agent-not-found',
  })
})

test('of changes at the same time one wins, and the others are told the version there is', async () => {
  await using server = await start()
  const created = await Promise.all([1, 2, 3].map(() => put(server, 'writer', writer)))
  expect(created.map(({ status }) => status).toSorted()).toEqual([201, 409, 409])
  const changed = await Promise.all([1, 2, 3].map(() => put(server, 'writer', { ...writer, version: 1 })))
  expect(changed.map(({ status }) => status).toSorted()).toEqual([200, 409, 409])
  for (const { status, body } of await Promise.all(changed.map(bodyOf)))
    expect(body).toMatchObject(status === 409 ? { code: 'stale-version', version: 2 } : { version: 2 })
})

test('what is shown of an agent can be sent back as it is', async () => {
  await using server = await start()
  for (const path of ['writer', 'writer?workspaceId=work']) {
    await put(server, path, { ...writer, toolKeys: ['calculator'], allowedSubAgents: ['coder', 'later'] })
    const shown = await (await get(server, path)).json()
    const saved = await put(server, path, shown)
    expect(saved.status).toBe(200)
    expect(await saved.json()).toEqual({ ...shown, version: 2, updatedAt: expect.any(String) })
    expect(await problemOf(await put(server, path, shown))).toMatchObject({
      code: 'stale-version',
      version: 2,
    })
  }
})

test('what was shown of an agent does not replace another one that has its name now', async () => {
  await using server = await start()
  await put(server, 'writer', writer)
  const shown = await (await get(server, 'writer')).json()
  await remove(server, 'writer')
  expect(await problemOf(await put(server, 'writer', shown))).toMatchObject({ code: 'agent-not-found' })
  await put(server, 'writer', { ...writer, description: 'Another one.' })
  expect(await problemOf(await put(server, 'writer', shown))).toMatchObject({
    code: 'stale-version',
    version: 1,
  })
})

test('an agent needs no description, and is offered by its name alone', async () => {
  const model = scriptedModel({
    master: [[asking('writer')], [saying('Done.')]],
    writer: [[saying('A poem.')]],
  })
  await using server = await start(model)
  expect((await put(server, 'writer', { systemPrompt: writer.systemPrompt })).status).toBe(201)
  expect(await (await get(server, 'writer')).json()).not.toHaveProperty('description')
  await (await ask(server.url)).text()
  expect(toolResultsOf(model, 'master')).toContain('A poem.')
  expect(JSON.stringify(model.doStreamCalls[0]?.prompt[0])).toContain('\\n- writer\\n')
})

test('an agent may name one that comes later: it is told as a warning until then', async () => {
  const model = scriptedModel({
    master: [[asking('editor')], [saying('Done.')]],
    editor: [[asking('writer')], [saying('Edited.')]],
    writer: [[saying('A poem.')]],
  })
  await using server = await start(model)
  const editor = { systemPrompt: 'You are editor.', allowedSubAgents: ['writer'] }
  const made = await put(server, 'editor', editor)
  expect(made.status).toBe(201)
  const warning = {
    code: 'unknown-sub-agent',
    field: 'allowedSubAgents',
    message: expect.stringContaining('"writer"'),
  }
  for (const path of ['/api/agents/editor', '/api/agents']) {
    const shown = await (await fetch(server.url + path)).json()
    expect(shown.warnings ?? shown.subAgents.at(-1).warnings).toEqual([warning])
  }
  await (await ask(server.url, { chatId: 'before' })).text()
  expect(toolResultsOf(model, 'editor')).toContain('NOT_FOUND')
  await put(server, 'writer', writer)
  expect(await (await get(server, 'editor')).json()).toMatchObject({ warnings: [] })
  await (await ask(server.url, { chatId: 'after' })).text()
  expect(toolResultsOf(model, 'editor')).toContain('A poem.')
})

test('an agent whose tool is gone says so', async () => {
  await using server = await start()
  const fields = { systemPrompt: 'Old.', toolKeys: ['abacus'] }
  const draft = { id: 'old', name: 'old', enabled: true, fields, updatedAt: '2026-01-01T00:00:00.000Z' }
  await server.store.definitions.create(local, draft)
  expect(await (await get(server, 'old')).json()).toMatchObject({ warnings: [{ code: 'unknown-tool' }] })
})

describe('a definition is refused', () => {
  test.each([
    [
      'with an unknown tool',
      { toolKeys: ['shell'] },
      'toolKeys',
      'Choose from the tools subAgent, calculator',
    ],
    ['that asks a master', { allowedSubAgents: ['master'] }, 'allowedSubAgents', '"master" talks to people'],
    ['that asks itself', { allowedSubAgents: ['writer'] }, 'allowedSubAgents', 'writer → writer'],
    ['with an unknown variable', { systemPrompt: '{{apiKey}}' }, 'systemPrompt', '{{apiKey}}'],
    ['with a model that is not there', { model: { provider: 'x', modelId: 'y' } }, 'model', '"x:y"'],
    ['with another name than its own', { name: 'other' }, 'name', 'leave it out'],
    ['with something executable', { execute: 'return 1' }, '', 'execute'],
    ['without a prompt', { systemPrompt: undefined }, 'systemPrompt', 'expected string'],
    ['with a version that is no number', { version: '1' }, 'version', 'expected number'],
  ])('%s, and told what to do', async (_, change, field, words) => {
    await using server = await start()
    const problem = await problemOf(await put(server, 'writer', { ...writer, ...change }))
    expect(problem).toMatchObject({
      status: 400,
      code: 'invalid-definition',
      errors: [{ field, message: expect.stringContaining(words) }],
    })
    expect(await server.store.definitions.list(local)).toEqual([])
  })

  test('whose name no URL can carry', async () => {
    await using server = await start()
    expect(await problemOf(await put(server, 'a%2Fb', writer))).toMatchObject({
      code: 'invalid-definition',
      errors: [{ field: 'name' }],
    })
  })

  test('that is no object, or comes as something else than JSON', async () => {
    await using server = await start()
    for (const body of [[], 'text', null, 1])
      expect(await problemOf(await put(server, 'writer', body))).toMatchObject({ status: 400 })
    const response = await fetch(`${server.url}/api/agents/writer`, {
      method: 'PUT',
      headers: { 'content-type': 'text/plain' },
      body: JSON.stringify(writer),
    })
    expect(response.status).toBe(415)
  })

  test('that closes a circle through other definitions', async () => {
    await using server = await start()
    await put(server, 'writer', writer)
    await put(server, 'editor', { ...writer, allowedSubAgents: ['writer'] })
    const closing = { ...writer, version: 1, allowedSubAgents: ['editor'] }
    expect(await problemOf(await put(server, 'writer', closing))).toMatchObject({
      errors: [{ code: 'cycle', message: expect.stringContaining('writer → editor → writer') }],
    })
  })
})

test('agents in code can be seen, but neither replaced nor deleted', async () => {
  await using server = await start()
  expect(await (await get(server, 'coder')).json()).toMatchObject({ name: 'coder', source: 'code' })
  for (const name of ['coder', 'master']) {
    const replaced = await problemOf(await put(server, name, writer))
    expect(replaced).toMatchObject({ status: 409, code: 'name-taken' })
    expect(await problemOf(await remove(server, name))).toMatchObject({ status: 409, code: 'agent-in-code' })
  }
})

test('a definition whose name an agent in code has taken since can still be deleted', async () => {
  await using server = await start()
  const fields = { description: 'Old.', systemPrompt: 'Old.' }
  const draft = { id: 'old', name: 'coder', enabled: true, fields, updatedAt: '2026-01-01T00:00:00.000Z' }
  await server.store.definitions.create(local, draft)
  expect((await remove(server, 'coder')).status).toBe(204)
})

test('a workspace has definitions of its own beside those of none', async () => {
  await using server = await start()
  await put(server, 'writer', writer)
  expect((await put(server, 'writer', { ...writer, workspaceId: 'work', maxSteps: 2 })).status).toBe(201)
  expect(await (await get(server, 'writer?workspaceId=work')).json()).toMatchObject({ maxSteps: 2 })
  expect((await get(server, 'writer?workspaceId=home')).status).toBe(404)
  const system = agentSystem({ definitions: server.store.definitions })
  const find = async (workspaceId?: string) =>
    (await system.subAgentsOf(local, { workspaceId }).find('writer'))?.maxSteps
  expect(await find('work')).toBe(2)
  expect(await find('home')).toBeUndefined()
  expect(await system.subAgentsOf(local, { workspaceId: 'work' }).list()).toMatchObject([{ maxSteps: 2 }])
  expect(await system.subAgentsOf(local).list()).toHaveLength(1)
})

test('a definition that cannot be read takes nothing else away', async () => {
  await using server = await start()
  await put(server, 'writer', writer)
  const draft = { id: 'odd', name: 'odd', enabled: true, fields: { wrong: 1 }, updatedAt: '' }
  await server.store.definitions.create(local, draft)
  const system = agentSystem({ definitions: server.store.definitions })
  expect((await system.subAgentsOf(local).list()).map(({ name }) => name)).toEqual(['writer'])
  expect(await system.subAgentsOf(local).find('odd')).toBeUndefined()
  expect((await get(server, 'odd')).status).toBe(404)
  expect((await put(server, 'odd', { ...writer, version: 1 })).status).toBe(200)
})

test('a system without a store has the agents in code only', async () => {
  const coder = defineAgent({ name: 'coder', description: 'Codes.', instructions: 'You are coder.' })
  const registry = agentSystem({ subAgents: [coder] }).subAgentsOf(local)
  expect(await registry.list()).toEqual([coder])
  expect(await registry.find('writer')).toBeUndefined()
})

test('two agents in code with one name are refused at the start', async () => {
  const coder = defineAgent({ name: 'coder', description: 'Codes.', instructions: 'You are coder.' })
  const system = agentSystem({ subAgents: [coder, coder] })
  await expect(startTestServer({ system })).rejects.toThrow('There are two agents called "coder".')
})

test('the master can ask a defined agent at once, and no longer when it is switched off', async () => {
  const model = scriptedModel({
    master: [[asking('writer')], [saying('Done.')]],
    writer: [[saying('A poem.')]],
  })
  await using server = await start(model)
  const results = async (chatId: string) => {
    await (await ask(server.url, { chatId })).text()
    return toolResultsOf(model, 'master')
  }
  expect(await results('before')).toContain('NOT_FOUND')
  await put(server, 'writer', { ...writer, systemPrompt: 'You are writer. Today is {{currentDate}}.' })
  expect(await results('defined')).toContain('A poem.')
  const prompts = model.doStreamCalls.map(({ prompt }) => JSON.stringify(prompt[0]))
  expect(prompts.some(prompt => /You are writer\. Today is \d{4}-\d\d-\d\d\./.test(prompt))).toBe(true)
  expect(prompts.some(prompt => prompt.includes('- writer: Writes.'))).toBe(true)
  await put(server, 'writer', { ...writer, enabled: false, version: 1 })
  // For a model it does not exist. Its owner sees that it is switched off.
  expect(await results('disabled')).toContain('NOT_FOUND')
  expect(await problemOf(await ask(server.url, { fields: { agent: 'writer' } }))).toMatchObject({
    status: 409,
    code: 'agent-disabled',
  })
})

function start(model = scriptedModel({})): Promise<TestServer> {
  const coder = defineAgent({ name: 'coder', description: 'Codes.', instructions: 'You are coder.' })
  return startTestServer({
    agents: [new MasterAgent({ name: 'master', instructions: 'You are master.', model })],
    system: agentSystem({
      tools: [subAgentTool, toolFactory('calculator', calculatorTool)],
      subAgents: [coder],
    }),
  })
}

function put({ url }: TestServer, name: string, body: unknown): Promise<Response> {
  return sendJson(`${url}/api/agents/${name}`, body, { method: 'PUT' })
}

function get({ url }: TestServer, name: string): Promise<Response> {
  return fetch(`${url}/api/agents/${name}`)
}

function remove({ url }: TestServer, name: string): Promise<Response> {
  return fetch(`${url}/api/agents/${name}`, { method: 'DELETE' })
}

async function bodyOf(response: Response): Promise<{ status: number; body: unknown }> {
  return { status: response.status, body: await response.json() }
}
