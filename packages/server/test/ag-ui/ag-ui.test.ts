import { HttpAgent } from '@ag-ui/client'
import type { BaseEvent, Message } from '@ag-ui/core'
import { textOf } from '@throughline/protocol'
import {
  finish,
  heldAgent,
  type Script,
  say,
  scriptedAgent,
  textToolText,
  weatherCall,
} from '@throughline/testing/agent/scripted-agent'
import { asking, breaking, calling, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { loadAnswer, loadChat, stop } from '@throughline/testing/http/chat-requests'
import { messagesBy } from '@throughline/testing/http/read-log'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { startTestServer, type TestServer } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'

const question: Message = { id: 'question', role: 'user', content: 'How is the weather?' }

describe('an AG-UI client reads', () => {
  test('an answer, and who it is from', async () => {
    const { messages, answer } = await conversationWith([say('It is '), say('clear.'), finish])
    expect(messages).toEqual([
      question,
      { id: `${answer.id}:text-1`, role: 'assistant', content: 'It is clear.', name: 'The assistant' },
    ])
  })

  test('text, tool, text: the call with the text before it, its result, and the text after it', async () => {
    const { messages, answer, events } = await conversationWith(textToolText)
    const id = `${answer.id}:call-1`
    const weather = { name: 'weather', arguments: '{"city":"Lisbon"}' }
    expect(messages.slice(1)).toMatchObject([
      {
        role: 'assistant',
        content: 'Let me look. ',
        toolCalls: [{ id, type: 'function', function: weather }],
      },
      { role: 'tool', toolCallId: id, content: '{"sky":"clear","degrees":21}' },
      { role: 'assistant', content: 'The sky is clear.' },
    ])
    expect(namesOf(events, 'STEP_')).toEqual(['STEP_STARTED', 'STEP_FINISHED'])
  })

  test('reasoning, and parallel calls in one message with a result each', async () => {
    const { messages } = await conversationWith([
      { type: 'reasoning-delta', text: 'Two places.' },
      { type: 'tool-call', ...weatherCall('north') },
      { type: 'tool-call', ...weatherCall('south') },
      { type: 'tool-error', ...weatherCall('south'), errorText: 'The line is dead.' },
      { type: 'tool-result', ...weatherCall('north'), output: 'clear' },
      say('Half is known.'),
      finish,
    ])
    const isError = { throughline: { isError: true }, tanstack: { state: 'output-error' } }
    expect(messages.slice(1)).toMatchObject([
      { role: 'reasoning', content: 'Two places.' },
      { role: 'assistant', toolCalls: [{}, {}] },
      { role: 'tool', content: '{"error":"The line is dead."}', metadata: isError },
      { role: 'tool', content: 'clear' },
      { role: 'assistant', content: 'Half is known.' },
    ])
  })

  test('the version, the answer’s id, and what each model used', async () => {
    const model = scriptedModel({ master: [[calling('note', { text: 'x' })], [saying('Done.')]] })
    await using server = await startDelegation({ model, toolKeys: ['note'] })
    const { events, result } = await runOn(server)
    const { id } = await loadAnswer(server.url)
    expect(events[0]).toMatchObject({ type: 'RUN_STARTED', threadId: 'chat', protocolVersion: '1.0' })
    expect(result).toEqual({ messageId: id })
    expect(events.at(-1)).toMatchObject({
      type: 'RUN_FINISHED',
      outcome: { type: 'success' },
      usage: [
        { provider: 'test', model: 'scripted', inputTokens: 20, outputTokens: 10, cachedInputTokens: 8 },
      ],
      metadata: { throughline: { messageId: id, status: 'finished' } },
    })
    const runIds = new Set(events.flatMap(({ runId }) => (runId === undefined ? [] : [runId])))
    expect(runIds.size).toBe(1)
  })

  test('a failure as an error, with the text from before it and nothing of what is secret', async () => {
    const { messages, events, answer } = await conversationWith([
      say('Half'),
      { type: 'error', error: new Error('secret') },
    ])
    const message = answer.metadata?.statusText
    expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'failed', message })
    expect(messages.at(-1)).toMatchObject({ content: 'Half' })
    expect(JSON.stringify(events)).not.toContain('secret')
  })

  test('a stop as a run that was cancelled, with a result for every call', async () => {
    const before = [say('Let me look. '), { type: 'tool-call', ...weatherCall() } as const]
    const { agent } = heldAgent('assistant', { before })
    await using server = await startTestServer({ agents: [agent] })
    const { messages, events } = await runOn(server, {
      onEvent: async ({ type }) => void (type === 'STEP_STARTED' && (await stop(server.url))),
    })
    expect(events.at(-1)).toMatchObject({
      type: 'RUN_FINISHED',
      outcome: { type: 'cancelled' },
      metadata: { throughline: { status: 'stopped' } },
    })
    expect(messages.at(-1)).toMatchObject({
      role: 'tool',
      content: expect.stringMatching(/^{"error":"Interrupted/),
    })
  })

  test('the end of the server as an error', async () => {
    const { agent } = heldAgent('assistant', { before: [say('I begin.')] })
    await using server = await startTestServer({ agents: [agent] })
    const { events } = await runOn(server, {
      onEvent: ({ type }) => void (type === 'TEXT_MESSAGE_CONTENT' && server.close()),
    })
    expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'interrupted' })
  })

  test('a call that waits for approval as an event of ours', async () => {
    const waiting = [
      { type: 'tool-call', ...weatherCall() },
      { type: 'tool-approval-request', toolCallId: 'call-1', approvalId: 'approval-1' },
      finish,
    ] as const
    const { events, answer } = await conversationWith(waiting)
    expect(events.find(({ type }) => type === 'CUSTOM')).toMatchObject({
      name: 'tool-approval-request',
      value: { toolCallId: `${answer.id}:call-1`, approvalId: expect.stringMatching(/^approval_/) },
    })
    // The run waits until somebody decides, so the client has an interrupt.
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'interrupt' } })
  })

  test('sub-agents, nested, each with what they say and do, for the calls they work for', async () => {
    const model = scriptedModel({
      master: [[saying('I ask. '), asking('lead', 'a')], [saying('All is done.')]],
      lead: [[saying('I lead. '), asking('helper', 'b')], [saying('It is led.')]],
      helper: [[calling('note', { text: 'x' })], [saying('It is helped.')]],
    })
    const subAgents = [
      subAgent('lead', { tools: ['note'], allowedSubAgents: ['helper'] }),
      subAgent('helper', { tools: ['note'] }),
    ]
    await using server = await startDelegation({ model, subAgents })
    const { events, messages } = await runOn(server)
    const saved = (await loadChat(server.url)).messages
    const [master, lead, helper] = ['master', 'lead', 'helper'].map(name => messagesBy(saved, name)[0])
    const lifecycle = events.filter(({ type }) => type.startsWith('SUBAGENT_'))
    expect(lifecycle).toMatchObject([
      {
        type: 'SUBAGENT_STARTED',
        subagentRunId: lead?.id,
        name: 'lead',
        parentToolCallId: `${master?.id}:a`,
        parentMessageId: `${master?.id}:text-1`,
        metadata: { throughline: { agent: { displayName: 'The lead', path: ['master', 'lead'] } } },
      },
      {
        type: 'SUBAGENT_STARTED',
        subagentRunId: helper?.id,
        parentSubagentRunId: lead?.id,
        parentToolCallId: `${lead?.id}:1:b`,
        parentMessageId: `${lead?.id}:text-1`,
      },
      { type: 'SUBAGENT_FINISHED', subagentRunId: helper?.id, outcome: { type: 'success' } },
      { type: 'SUBAGENT_FINISHED', subagentRunId: lead?.id },
    ])
    expect(lifecycle[0]).not.toHaveProperty('parentSubagentRunId')
    for (const message of [master, lead, helper]) {
      const owner = message === master ? undefined : message?.id
      const own = messages.filter(each => each.role === 'assistant' && each.subagentRunId === owner)
      const said = own.flatMap(({ content }) => (content ? [content] : [])).join('\n\n')
      expect(said).toBe(message && textOf(message))
    }
  })

  test('a sub-agent’s failure as that sub-agent’s error, and the run goes on', async () => {
    const model = scriptedModel({
      master: [[asking('helper')], [saying('I go on.')]],
      helper: [[saying('Half. '), breaking('secret')]],
    })
    await using server = await startDelegation({ model, subAgents: [subAgent('helper')] })
    const { events, messages } = await runOn(server)
    expect(events.find(({ type }) => type === 'SUBAGENT_ERROR')).toMatchObject({ code: 'failed' })
    expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } })
    expect(messages.at(-1)).toMatchObject({ content: 'I go on.' })
  })
})

describe('asked again for the same message', () => {
  test('an AG-UI client gets the same run, and has nothing twice', async () => {
    await using server = await startTestServer({
      agents: [scriptedAgent('assistant', [{ type: 'reasoning-delta', text: 'I think.' }, ...textToolText])],
    })
    const agent = agentOn(server, [question])
    await agent.runAgent()
    const { messages } = agent
    await agent.runAgent()
    expect(agent.messages).toEqual(messages)
    expect((await loadChat(server.url)).messages).toHaveLength(2)
  })

  test('and with sub-agents too', async () => {
    const model = scriptedModel({
      master: [[saying('I ask. '), asking('helper', 'a'), asking('helper', 'b')], [saying('Done.')]],
      helper: [[calling('note', { text: 'x' })], [saying('It is helped.')]],
    })
    await using server = await startDelegation({
      model,
      subAgents: [subAgent('helper', { tools: ['note'] })],
    })
    const agent = agentOn(server, [question])
    await agent.runAgent()
    const { messages } = agent
    await agent.runAgent()
    expect(agent.messages).toEqual(messages)
    expect(agent.messages.filter(({ subagentRunId }) => subagentRunId !== undefined)).toHaveLength(6)
  })

  test('in the middle of the answer, it reads the answer to its end', async () => {
    const held = { before: textToolText.slice(0, 6), after: textToolText.slice(6, -1) }
    const { agent: scripted, letGo } = heldAgent('assistant', held)
    await using server = await startTestServer({ agents: [scripted] })
    const agent = agentOn(server, [question])
    await agent.runAgent({}, { onStepStartedEvent: () => agent.abortRun() })
    expect(agent.messages.at(-1)).toMatchObject({ content: 'Let me look. ', toolCalls: [{}] })
    letGo()
    await agent.runAgent()
    expect(agent.messages.slice(1)).toMatchObject([
      { content: 'Let me look. ', toolCalls: [{ function: { arguments: '{"city":"Lisbon"}' } }] },
      { role: 'tool' },
      { content: 'The sky is clear.' },
    ])
    expect(agent.messages).toHaveLength(4)
  })
})

test('the calls of a second answer are not mixed up with those of the first, whatever their ids', async () => {
  await using server = await startTestServer()
  const agent = agentOn(server, [question])
  await agent.runAgent()
  agent.addMessage({ ...question, id: 'second', content: 'And now?' })
  await agent.runAgent()
  expect(agent.messages.map(({ role }) => role)).toEqual([
    ...['user', 'assistant', 'tool', 'assistant'],
    ...['user', 'assistant', 'tool', 'assistant'],
  ])
  const calls = agent.messages.flatMap(message => ('toolCalls' in message ? (message.toolCalls ?? []) : []))
  expect(calls.map(call => call.function.arguments)).toEqual(Array(2).fill('{"city":"Lisbon"}'))
  expect((await loadChat(server.url)).messages).toHaveLength(4)
})

async function conversationWith(script: Script) {
  await using server = await startTestServer({ agents: [scriptedAgent('assistant', script)] })
  return { ...(await runOn(server)), answer: await loadAnswer(server.url) }
}

interface Watching {
  readonly onEvent?: (event: BaseEvent) => void | Promise<void>
}

/** One question to the server, as AG-UI's own client asks it, and all that came of it. */
async function runOn(server: TestServer, { onEvent }: Watching = {}) {
  const events: BaseEvent[] = []
  const agent = agentOn(server, [question])
  const { result } = await agent.runAgent(
    {},
    {
      onEvent({ event }) {
        events.push(event)
        // Not awaited: what it brings about is told by later events.
        void onEvent?.(event)
      },
    },
  )
  return { events, result, messages: agent.messages }
}

function agentOn({ url }: TestServer, messages: readonly Message[]): HttpAgent {
  return new HttpAgent({ url: `${url}/ag-ui`, threadId: 'chat', initialMessages: [...messages] })
}

function namesOf(events: readonly BaseEvent[], prefix: string): readonly string[] {
  return events.map(({ type }) => String(type)).filter(type => type.startsWith(prefix))
}
