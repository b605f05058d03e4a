import { webhookChannel } from '@throughline/channels'
import { asking, saying, scriptedModel, toolResultsOf } from '@throughline/testing/agent/scripted-model'
import { writeToHook } from '@throughline/testing/channels/channel-server'
import { startWebhookReceiver } from '@throughline/testing/channels/webhook-receiver'
import { ask, loadAnswer, problemOf, sendJson } from '@throughline/testing/http/chat-requests'
import { type DelegationOptions, startDelegation } from '@throughline/testing/server/delegating-server'
import { ownerIdOf, type TestServer } from '@throughline/testing/server/test-server'
import { expect, test } from 'vitest'

const board = { pageId: 'board' }
const turns = {
  master: [[asking('writer')], [saying('Done.')]],
  writer: [[saying('A poem.')]],
}

test('an agent with pages is chosen on these pages only, by people and by agents', async () => {
  const { server, model } = await start()
  await using _ = server
  await put(server, 'writer', { systemPrompt: 'You are writer.', pageIds: ['board', 'plan'] })
  for (const context of [undefined, {}, { pageId: 'home' }])
    expect(await problemOf(await askWriter(server, context))).toMatchObject({ code: 'unknown-agent' })
  await (await ask(server.url, { chatId: 'home', fields: { context: { pageId: 'home' } } })).text()
  expect(toolResultsOf(model, 'master')).toContain('NOT_FOUND')
  expect(JSON.stringify(model.doStreamCalls[0]?.prompt)).not.toContain('- writer')

  await (await askWriter(server, board)).text()
  expect(JSON.stringify(await loadAnswer(server.url))).toContain('A poem.')
  await (await ask(server.url, { chatId: 'board', fields: { context: board } })).text()
  expect(toolResultsOf(model, 'master')).toContain('A poem.')
})

test('an agent without pages is there everywhere', async () => {
  const { server } = await start()
  await using _ = server
  await put(server, 'writer', { systemPrompt: 'You are writer.' })
  for (const [index, context] of [undefined, board].entries())
    expect((await askWriter(server, context, `chat-${index}`)).status).toBe(200)
})

test('the list has all agents, or with a place those that are there', async () => {
  const { server } = await start()
  await using _ = server
  await put(server, 'everywhere', { systemPrompt: 'You are writer.' })
  await put(server, 'paged', { systemPrompt: 'You are writer.', pageIds: ['board'] })
  await put(server, 'local?workspaceId=work', { systemPrompt: 'You are writer.' })
  await put(server, 'both?workspaceId=work', { systemPrompt: 'You are writer.', pageIds: ['board'] })
  const listed = async (query: string) => {
    const { subAgents } = await (await fetch(`${server.url}/api/agents${query}`)).json()
    return subAgents.map(({ name }: { name: string }) => name).toSorted()
  }
  expect(await listed('')).toEqual(['both', 'everywhere', 'local', 'paged'])
  expect(await listed('?pageId=home')).toEqual(['everywhere'])
  expect(await listed('?pageId=board')).toEqual(['everywhere', 'paged'])
  expect(await listed('?workspaceId=work')).toEqual(['everywhere', 'local'])
  expect(await listed('?workspaceId=work&pageId=board')).toEqual(['both', 'everywhere', 'local', 'paged'])
})

test('the event API works in a workspace and on a page', async () => {
  const { server } = await start()
  await using _ = server
  await put(server, 'writer?workspaceId=work', { systemPrompt: 'You are writer.', pageIds: ['board'] })
  const query = (more: object) =>
    sendJson(`${server.url}/agent/query`, { message: 'Hi', agent: 'writer', ...more })
  expect(await problemOf(await query({ workspace_id: 'work', page_id: null }))).toMatchObject({
    code: 'unknown-agent',
  })
  const answered = await query({ workspace_id: 'work', page_id: 'board' })
  expect(JSON.stringify(await answered.json())).toContain('A poem.')
})

test('a channel works in its workspace and on its page', async () => {
  await using receiver = await startWebhookReceiver()
  const channel = webhookChannel({ url: receiver.url, secret: 'a secret of the tests' })
  const installed = { channel, ownerId: ownerIdOf('local'), workspaceId: 'work', ...board }
  const { server, model } = await start({ channels: new Map([['hook', installed]]) })
  await using _ = server
  await put(server, 'writer?workspaceId=work', { systemPrompt: 'You are writer.', pageIds: ['board'] })
  await writeToHook(server.url)
  await receiver.until(shown => shown.at(-1)?.text === 'Done.')
  expect(toolResultsOf(model, 'master')).toContain('A poem.')
})

async function start(options: Partial<DelegationOptions> = {}) {
  const model = scriptedModel(turns)
  return { model, server: await startDelegation({ model, ...options }) }
}

async function put({ url }: TestServer, path: string, body: object): Promise<void> {
  const response = await sendJson(`${url}/api/agents/${path}`, body, { method: 'PUT' })
  expect(response.status).toBe(201)
}

function askWriter({ url }: TestServer, context: object | undefined, chatId = 'chat'): Promise<Response> {
  return ask(url, { chatId, fields: { agent: 'writer', context } })
}
