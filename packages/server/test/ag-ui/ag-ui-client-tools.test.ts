import { HttpAgent } from '@ag-ui/client'
import type { BaseEvent, Message, Tool } from '@ag-ui/core'
import { calling, saying, scriptedModel, toolResultsOf } from '@throughline/testing/agent/scripted-model'
import { loadAnswer, problemOf, sendJson } from '@throughline/testing/http/chat-requests'
import { clientToolServer, locatingModel } from '@throughline/testing/server/client-tool-server'
import {
  type DelegationOptions,
  startDelegation,
  subAgent,
} from '@throughline/testing/server/delegating-server'
import { describe, expect, test } from 'vitest'

const question: Message = { id: 'question', role: 'user', content: 'Where am I?' }

/** A tool of the page, as CopilotKit and others send it with each request. */
const locate: Tool = {
  name: 'locate',
  description: 'Returns where the user is.',
  parameters: { type: 'object', properties: { precise: { type: 'boolean' } } },
}

describe('an AG-UI client with tools of its own', () => {
  test('gets the call, sends its result, and the same answer goes on', async () => {
    const model = locatingModel()
    await using page = await startAgUi({ model })
    const { agent, events } = page
    await agent.runAgent({ runId: 'run-1', tools: [locate] })
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } })
    expect(model.doStreamCalls[0]?.tools).toContainEqual(expect.objectContaining({ name: 'locate' }))
    const [call] = callsOn(agent)
    expect(call?.function).toEqual({ name: 'locate', arguments: '{"precise":true}' })
    agent.addMessage({ id: 'result', role: 'tool', toolCallId: call?.id ?? '', content: '{"city":"Oslo"}' })
    await agent.runAgent({ runId: 'run-2', tools: [locate] })
    expect(events.at(-1)).toMatchObject({
      type: 'RUN_FINISHED',
      runId: 'run-2',
      outcome: { type: 'success' },
    })
    expect(agent.messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'Where am I?'],
      ['assistant', 'One moment.'],
      ['tool', '{"city":"Oslo"}'],
      ['assistant', 'You are there.'],
    ])
    expect(toolResultsOf(model, 'master')).toContain('Oslo')
    const answer = await loadAnswer(page.url)
    expect(answer.metadata?.status).toBe('finished')
    expect(answer.parts.find(({ type }) => type === 'tool-locate')).toMatchObject({
      output: { city: 'Oslo' },
    })
  })

  test('that sends the result twice gets the same rest of the answer, and the tool is not asked again', async () => {
    const model = locatingModel()
    await using page = await startAgUi({ model })
    const { agent } = page
    await agent.runAgent({ runId: 'run-1', tools: [locate] })
    const [call] = callsOn(agent)
    agent.addMessage({ id: 'result', role: 'tool', toolCallId: call?.id ?? '', content: 'Oslo' })
    const again = new HttpAgent({
      url: `${page.url}/ag-ui`,
      threadId: 'chat',
      initialMessages: structuredClone(agent.messages),
    })
    await agent.runAgent({ runId: 'run-2', tools: [locate] })
    await again.runAgent({ runId: 'run-2', tools: [locate] })
    expect(again.messages).toEqual(agent.messages)
    expect(model.doStreamCalls).toHaveLength(2)
  })

  test('can say that the tool has failed', async () => {
    const model = locatingModel()
    await using page = await startAgUi({ model })
    const { agent } = page
    await agent.runAgent({ tools: [locate] })
    const [call] = callsOn(agent)
    agent.addMessage({
      id: 'result',
      role: 'tool',
      toolCallId: call?.id ?? '',
      content: '',
      error: 'No signal.',
    })
    await agent.runAgent({ tools: [locate] })
    expect(toolResultsOf(model, 'master')).toContain('No signal.')
  })

  test('runs the configured tools without execute in the same way', async () => {
    await using fixture = await clientToolServer()
    const agent = new HttpAgent({
      url: `${fixture.url}/ag-ui`,
      threadId: 'chat',
      initialMessages: [question],
    })
    await agent.runAgent()
    const [call] = callsOn(agent)
    agent.addMessage({ id: 'result', role: 'tool', toolCallId: call?.id ?? '', content: 'Oslo' })
    await agent.runAgent()
    expect(agent.messages.at(-1)?.content).toBe('You are there.')
  })

  test('gives them to the asked agent only, not to its sub-agents', async () => {
    const model = scriptedModel({
      master: [[calling('subAgent', { name: 'worker', task: 'Work.' })], [saying('Done.')]],
      worker: [[saying('I worked.')]],
    })
    await using page = await startAgUi({
      model,
      subAgents: [subAgent('worker', { tools: ['*'] })],
      allowedSubAgents: ['worker'],
    })
    await page.agent.runAgent({ tools: [locate] })
    const given = model.doStreamCalls.map(({ tools = [] }) => tools.some(({ name }) => name === 'locate'))
    expect(given).toEqual([true, false, true])
  })

  test('does not give a sub-agent a tool that the asked agent lacks by bringing one of the same name', async () => {
    const model = scriptedModel({
      master: [[calling('subAgent', { name: 'worker', task: 'Work.' })], [saying('Done.')]],
      worker: [[saying('I worked.')]],
    })
    await using page = await startAgUi({
      model,
      toolKeys: [],
      subAgents: [subAgent('worker', { tools: ['note'] })],
      allowedSubAgents: ['worker'],
    })
    await page.agent.runAgent({ tools: [{ ...locate, name: 'note' }] })
    const given = model.doStreamCalls.map(({ tools = [] }) => tools.some(({ name }) => name === 'note'))
    expect(given).toEqual([true, false, true])
  })

  test('is told when a tool has the name of a tool of the agent', async () => {
    await using fixture = await clientToolServer()
    const response = await sendTools(fixture.url, [locate])
    expect(response.status).toBe(400)
    expect(await problemOf(response)).toMatchObject({ code: 'tool-name-taken' })
  })

  test.each([
    ['without a name', [{ description: 'Nameless.' }]],
    ['with a name that no provider takes', [{ ...locate, name: 'where am I' }]],
    ['twice', [locate, locate]],
    ['that are too many', Array.from({ length: 65 }, (_, index) => ({ ...locate, name: `tool${index}` }))],
    ['that are too large', [{ ...locate, description: 'x'.repeat(70_000) }]],
  ])('is told when it sends tools %s', async (_, tools) => {
    await using page = await startAgUi({ model: locatingModel() })
    const response = await sendTools(page.url, tools)
    expect(response.status).toBe(400)
    expect(await problemOf(response)).toMatchObject({ code: 'invalid-tools' })
  })

  test('has no tools where they are switched off', async () => {
    const model = scriptedModel({ master: [[saying('Hello.')]] })
    await using page = await startAgUi({ model, clientTools: false })
    await page.agent.runAgent({ tools: [locate] })
    expect(JSON.stringify(model.doStreamCalls[0]?.tools ?? [])).not.toContain('locate')
    expect(page.agent.messages.at(-1)?.content).toBe('Hello.')
  })
})

async function startAgUi(options: DelegationOptions) {
  const server = await startDelegation(options)
  const events: BaseEvent[] = []
  const agent = new HttpAgent({ url: `${server.url}/ag-ui`, threadId: 'chat', initialMessages: [question] })
  agent.subscribe({ onEvent: ({ event }) => void events.push(event) })
  return {
    url: server.url,
    agent,
    events,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

function callsOn({ messages }: HttpAgent) {
  return messages.flatMap(message => (message.role === 'assistant' ? (message.toolCalls ?? []) : []))
}

function sendTools(url: string, tools: readonly unknown[]): Promise<Response> {
  return sendJson(`${url}/ag-ui`, {
    threadId: 'chat',
    runId: 'run',
    messages: [question],
    tools,
    context: [],
    state: {},
    forwardedProps: {},
  })
}
