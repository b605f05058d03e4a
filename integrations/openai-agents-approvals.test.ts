import type { OpenAIAgent } from '@throughline/agents/openai-agents'
import { isToolPart } from '@throughline/protocol'
import { approvalIn, decide } from '@throughline/testing/http/approval-requests'
import { ask, loadAnswer, stop } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { expect, test } from 'vitest'
import { type Beat, call, ScriptedModel, say } from './openai-agents/scripted-model.ts'
import { Agent, hostedMcpTool, tool, z } from './openai-agents/sdk.ts'
import { answerOf, serve, weather } from './openai-agents/serve.ts'

test('a tool with needsApproval waits for a person, and runs when the person approves it', async () => {
  const { agent, removed } = remover()
  await using waiting = await waitingFor(agent)
  expect(removed).toEqual([])
  await decide(waiting.url, waiting.approvalId, { approved: true })
  await waiting.stream.rest()
  const { parts, metadata } = await loadAnswer(waiting.url)
  expect(removed).toEqual(['all'])
  expect(parts).toMatchObject([
    { type: 'step-start' },
    { type: 'tool-weather', state: 'output-available' },
    { type: 'data-step' },
    { type: 'tool-remove', state: 'output-available', output: 'Removed.', approval: { approved: true } },
    { type: 'data-step' },
    { type: 'step-start' },
    { type: 'text', text: 'Done.' },
  ])
  expect(metadata).toMatchObject({ status: 'finished', usage: { inputTokens: 20 } })
})

test('a tool with needsApproval does not run when the person denies it, and the model reads why', async () => {
  const { agent, removed, model } = remover()
  await using waiting = await waitingFor(agent)
  await decide(waiting.url, waiting.approvalId, { approved: false, reason: 'Not now.' })
  await waiting.stream.rest()
  const { parts, metadata } = await loadAnswer(waiting.url)
  expect(removed).toEqual([])
  expect(parts).toContainEqual(expect.objectContaining({ type: 'tool-remove', state: 'output-denied' }))
  expect(JSON.stringify(model.requests[1]?.input)).toContain('The user did not allow this call: Not now.')
  expect(metadata?.status).toBe('finished')
})

test('a tool with needsApproval is denied when nobody decides in time', async () => {
  const { agent, removed } = remover()
  const { parts, metadata } = await answerOf(agent, { limits: { maxApprovalMs: 10 } })
  expect(removed).toEqual([])
  expect(parts).toContainEqual(expect.objectContaining({ type: 'tool-remove', state: 'output-denied' }))
  expect(metadata?.status).toBe('finished')
})

test('a tool with needsApproval does not run when the answer is stopped', async () => {
  const { agent, removed } = remover()
  await using waiting = await waitingFor(agent)
  await stop(waiting.url)
  await waiting.stream.rest()
  expect((await loadAnswer(waiting.url)).metadata?.status).toBe('stopped')
  expect(removed).toEqual([])
})

test('a tool with needsApproval waits for a person in an agent that works as a tool, too', async () => {
  const { agent: inner, removed } = remover()
  const asTool = inner.asTool({ toolName: 'clean', toolDescription: 'Cleans up.' })
  const model = new ScriptedModel([call('clean', { input: 'Clean up.' })], [say('It is clean.')])
  await using waiting = await waitingFor(new Agent({ name: 'support', model, tools: [asTool] }))
  await decide(waiting.url, waiting.approvalId, { approved: true })
  await waiting.stream.rest()
  const { parts, metadata } = await loadAnswer(waiting.url)
  expect(removed).toEqual(['all'])
  expect(metadata?.status).toBe('finished')
  expect(parts).toMatchObject([
    { type: 'step-start' },
    { type: 'tool-clean', state: 'output-available', output: 'Done.' },
    { type: 'data-step' },
    { type: 'tool-remove', state: 'output-available', input: { what: 'all' }, approval: { approved: true } },
    { type: 'data-step' },
    { type: 'step-start' },
    { type: 'text', text: 'It is clean.' },
  ])
})

test('a call that has the id of another one waits under its own input', async () => {
  const { agent: inner, removed } = remover()
  const asTool = inner.asTool({ toolName: 'clean', toolDescription: 'Cleans up.' })
  const model = new ScriptedModel([call('clean', { input: 'Clean up.' }, 'call-all')], [say('It is clean.')])
  await using waiting = await waitingFor(new Agent({ name: 'support', model, tools: [asTool] }))
  const { parts } = await loadAnswer(waiting.url)
  expect(parts).toContainEqual(
    expect.objectContaining({
      type: 'tool-remove',
      toolCallId: 'call-all-2',
      state: 'approval-requested',
      input: { what: 'all' },
    }),
  )
  await decide(waiting.url, waiting.approvalId, { approved: true })
  await waiting.stream.rest()
  expect(removed).toEqual(['all'])
})

test('calls that wait at the same time are decided one by one', async () => {
  const { agent, removed } = remover({ what: ['one', 'two'] })
  await using waiting = await waitingFor(agent)
  await waiting.stream.until('"toolCallId":"call-two","approvalId":')
  const approvals = (await loadAnswer(waiting.url)).parts.flatMap(part =>
    isToolPart(part) && part.approval !== undefined ? [part.approval.id] : [],
  )
  const [first = '', second = ''] = approvals
  await decide(waiting.url, second, { approved: false })
  await decide(waiting.url, first, { approved: true })
  await waiting.stream.rest()
  expect(removed).toEqual(['one'])
  expect((await loadAnswer(waiting.url)).parts.filter(({ type }) => type === 'tool-remove')).toMatchObject([
    { state: 'output-available', input: { what: 'one' } },
    { state: 'output-denied', input: { what: 'two' } },
  ])
})

test('a tool of an MCP server that the provider calls waits for a person', async () => {
  const wanted = { server_label: 'docs', name: 'delete_page', arguments: '{"page":"a"}' }
  const request = { type: 'mcp_approval_request', id: 'mcpr_1', ...wanted }
  const model = new ScriptedModel(
    [hosted('mcpr_1', request)],
    [hosted('mcp_1', { type: 'mcp_call', ...wanted }, 'Deleted.'), say('Done.')],
  )
  const docs = hostedMcpTool({
    serverLabel: 'docs',
    serverUrl: 'https://example.test',
    requireApproval: 'always',
  })
  await using waiting = await waitingFor(new Agent({ name: 'support', model, tools: [docs] }))
  await decide(waiting.url, waiting.approvalId, { approved: true })
  await waiting.stream.rest()
  const { parts } = await loadAnswer(waiting.url)
  expect(parts.filter(isToolPart)).toMatchObject([
    { type: 'tool-delete_page', toolCallId: 'mcpr_1', input: { page: 'a' }, approval: { approved: true } },
    { type: 'tool-delete_page', toolCallId: 'mcp_1', input: { page: 'a' }, output: 'Deleted.' },
  ])
  expect(JSON.stringify(model.requests[1]?.input)).toContain('"approve":true,"approval_request_id":"mcpr_1"')
})

function hosted(id: string, providerData: { readonly type: string }, output?: string): Beat {
  const item = {
    type: 'hosted_tool_call',
    id,
    name: providerData.type,
    status: 'completed',
    providerData,
  } as const
  return { type: 'item', item: output === undefined ? item : { ...item, output } }
}

/** An agent that looks at the weather and removes things, at the same time. */
function remover({ what: all = ['all'] }: { readonly what?: readonly string[] } = {}) {
  const removed: string[] = []
  const remove = tool({
    name: 'remove',
    description: 'Removes things.',
    parameters: z.object({ what: z.string() }),
    needsApproval: true,
    execute: async ({ what }) => {
      removed.push(what)
      return 'Removed.'
    },
  })
  const calls = all.map(what => call('remove', { what }, `call-${what}`))
  const model = new ScriptedModel([call('weather', { city: 'Lisbon' }), ...calls], [say('Done.')])
  return { removed, model, agent: new Agent({ name: 'remover', model, tools: [weather, remove] }) }
}

/** Asks the agent on a server, and returns when its call waits for a person. */
async function waitingFor(agent: OpenAIAgent) {
  const server = await serve(agent)
  const stream = new SseBytes(await ask(server.url, { form: '?approvals=wait' }))
  await stream.until('"approvalId":')
  return {
    url: server.url,
    stream,
    approvalId: approvalIn(stream.bytes),
    async [Symbol.asyncDispose]() {
      await stream[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
    },
  }
}
