import { currentFrame, toolFactory } from '@throughline/agents'
import {
  asking,
  calling,
  saying,
  scriptedModel,
  toolResultsOf,
} from '@throughline/testing/agent/scripted-model'
import { ask, sendJson, userMessage } from '@throughline/testing/http/chat-requests'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Authenticate } from '../../src/http/sign-in/identity.ts'

/** The header names the tools that the person may use. Without it there is no policy. */
const byHeader: Authenticate = ({ headers }) => {
  const tools = headers.get('x-tools')?.split(' ')
  return { ownerId: 'ada', tools, roles: ['editor'] }
}

const noTools = z.object({})
const extra = toolFactory(
  'extra',
  tool({
    description: 'Tells the roles.',
    inputSchema: noTools,
    execute: async () => currentFrame().run.roles,
  }),
)

/** A master that asks a helper. Both want all tools. */
async function startAsked() {
  const model = scriptedModel({
    master: [[asking('helper')], [saying('Done.')]],
    helper: [[saying('Helped.')]],
  })
  const helper = subAgent('helper', { tools: ['*'], allowedSubAgents: ['*'] })
  const server = await startDelegation({
    model,
    tools: [extra],
    subAgents: [helper],
    toolKeys: ['*'],
    authenticate: byHeader,
  })
  return { server, model, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

describe('an agent has no tool that the person has not,', () => {
  test('neither the master nor a sub-agent that it delegates to', async () => {
    await using asked = await startAsked()
    await (await ask(asked.server.url, { headers: { 'x-tools': 'subAgent note' } })).text()
    const [master, helper, again] = toolsIn(asked.model)
    expect([master, helper, again]).toEqual([
      ['note', 'subAgent'],
      ['note', 'subAgent'],
      ['note', 'subAgent'],
    ])
  })

  test('and without a policy it has all of its own', async () => {
    await using asked = await startAsked()
    await (await ask(asked.server.url)).text()
    expect(toolsIn(asked.model)[1]).toEqual(expect.arrayContaining(['extra', 'note', 'subAgent']))
  })

  test('with "*" too', async () => {
    await using asked = await startAsked()
    await (await ask(asked.server.url, { headers: { 'x-tools': 'note *' } })).text()
    expect(toolsIn(asked.model)[1]).toEqual(expect.arrayContaining(['extra', 'note', 'subAgent']))
  })
})

const question = userMessage()
const hello = [{ role: 'user', content: 'Hi' }]

// Every way to start a run. The master may not delegate here, because the policy has no subAgent.
test.each([
  ['/api/chat', { id: 'chat', messages: [question] }],
  ['/api/chat', { id: 'chat', messages: [{ id: 'q', role: 'user', content: 'Hi' }] }],
  ['/api/v1/console/playground/agent/stream', { id: 'chat', message: question }],
  ['/api/chats/chat/messages', { message: question }],
  ['/agent/query-stream', { message: 'Hi', session_id: 'chat' }],
  ['/agent/query', { message: 'Hi', session_id: 'chat' }],
  ['/ag-ui', { threadId: 'chat', runId: 'run', messages: [{ id: 'q', role: 'user', content: 'Hi' }] }],
  ['/v1/chat/completions', { model: 'master', messages: hello, metadata: { chat_id: 'chat' } }],
  ['/v1/responses', { model: 'master', input: 'Hi', conversation: 'chat' }],
])('POST %s with %j keeps to the policy', async (path, body) => {
  await using asked = await startAnswering()
  const { url } = asked.server
  const headers = { 'x-tools': 'note' }
  await (await sendJson(`${url}${path}`, body, { headers })).text()
  await ended(url)
  // Another answer is asked for by somebody with another policy.
  const { messages } = await (await fetch(`${url}/api/chats/chat/messages`)).json()
  await sendJson(
    `${url}/api/chats/chat/answers`,
    { messageId: messages[0].id },
    { headers: { 'x-tools': 'extra' } },
  )
  await ended(url)
  expect(toolsIn(asked.model)).toEqual([['note'], ['extra']])
})

test('a person sees only the tools of their policy', async () => {
  await using asked = await startAnswering()
  const response = await fetch(`${asked.server.url}/api/tools`, { headers: { 'x-tools': 'note nothing' } })
  const { tools } = await response.json()
  expect(tools.map(({ key }: { readonly key: string }) => key)).toEqual(['note'])
})

test('a tool of the application reads the roles of the person', async () => {
  const model = scriptedModel({ master: [[calling('extra', {})], [saying('Done.')]] })
  await using server = await startDelegation({ model, tools: [extra], authenticate: byHeader })
  await (await ask(server.url)).text()
  expect(toolResultsOf(model, 'master')).toContain('editor')
})

async function startAnswering() {
  const model = scriptedModel({ master: [[saying('Hello.')]] })
  const server = await startDelegation({ model, tools: [extra], toolKeys: ['*'], authenticate: byHeader })
  return { server, model, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/** Waits until the run of the chat is over. */
async function ended(url: string): Promise<void> {
  await (await fetch(`${url}/api/chat/chat/stream`)).text()
}

function toolsIn(model: ReturnType<typeof scriptedModel>): readonly (readonly string[])[] {
  return model.doStreamCalls.map(({ tools = [] }) => tools.map(({ name }) => name).toSorted())
}
