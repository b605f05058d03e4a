import { fromLangGraph } from '@throughline/agents/langgraph'
import { awaitedOutputs } from '@throughline/protocol'
import { approvalIn, type Decision, decide } from '@throughline/testing/http/approval-requests'
import { ask, loadAnswer, sendJson, stop } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { describe, expect, test } from 'vitest'
import { answerOf, serve } from './langgraph/graph-server.ts'
import {
  AIMessage,
  approving,
  createAgent,
  interrupt,
  MemorySaver,
  oneNode,
  tool,
  weather,
} from './langgraph/graphs.ts'
import { calling, ScriptedChatModel, saying } from './langgraph/scripted-chat-model.ts'

const rolesIn = (prompt: ScriptedChatModel['prompts'][number] | undefined) =>
  prompt?.map(message => message.getType())

describe('memory', () => {
  test('a graph with a checkpointer gets the chat once, not twice', async () => {
    const model = new ScriptedChatModel([[saying('Hello.')]])
    await using server = await serve(createAgent({ model, tools: [], checkpointer: new MemorySaver() }))
    await (await ask(server.url)).text()
    await (await ask(server.url, { messageId: 'second' })).text()
    expect(rolesIn(model.prompts[1])).toEqual(['human', 'ai', 'human'])
  })

  test('with memory thread the graph remembers what it knows besides the messages', async () => {
    const model = new ScriptedChatModel([[saying('Hello.')]])
    const graph = createAgent({ model, tools: [], checkpointer: new MemorySaver() })
    await using server = await serve(graph, { memory: 'thread' })
    await (await ask(server.url)).text()
    await graph.graph.updateState(
      { configurable: { thread_id: 'support/local/chat' } },
      { messages: [new AIMessage('A note that only the thread has.')] },
    )
    await (await ask(server.url, { messageId: 'second' })).text()
    expect(rolesIn(model.prompts[1])).toEqual(['human', 'ai', 'ai', 'human'])
  })

  test('a thread that is lost begins again with the chat so far', async () => {
    const model = new ScriptedChatModel([[saying('Hello.')]])
    const graph = createAgent({ model, tools: [], checkpointer: new MemorySaver() })
    await using server = await serve(graph, { memory: 'thread' })
    await (await ask(server.url)).text()
    graph.checkpointer = new MemorySaver()
    await (await ask(server.url, { messageId: 'second' })).text()
    expect(rolesIn(model.prompts[1])).toEqual(['human', 'ai', 'human'])
  })

  test('a thread goes on after a stop in the middle of a tool call', async () => {
    const working = Promise.withResolvers<void>()
    const wait = tool(
      async () => {
        working.resolve()
        await new Promise(() => undefined)
      },
      { name: 'wait', description: 'Waits.' },
    )
    const model = new ScriptedChatModel([[...calling('wait', {})], [saying('Never.')]])
    const graph = createAgent({ model, tools: [wait], checkpointer: new MemorySaver() })
    await using server = await serve(graph, { memory: 'thread' })
    const reading = ask(server.url).then(response => response.text())
    await working.promise
    await stop(server.url)
    await reading
    const again = ask(server.url, { messageId: 'second' }).then(response => response.text())
    await expect.poll(() => rolesIn(model.prompts[1])).toEqual(['human', 'ai', 'tool', 'human'])
    await stop(server.url)
    await again
  })

  test('memory thread without a checkpointer is refused at the start', () => {
    const graph = createAgent({ model: new ScriptedChatModel([]), tools: [] })
    expect(() => fromLangGraph(graph, { memory: 'thread' })).toThrow('needs a graph with a checkpointer')
  })
})

describe('approvals', () => {
  test('a call that humanInTheLoopMiddleware holds back waits for a person, and runs after the approval', async () => {
    const { parts, metadata } = await decided({ approved: true })
    expect(parts).toMatchObject([
      { type: 'step-start' },
      {
        type: 'tool-weather',
        state: 'output-available',
        output: { sky: 'clear' },
        approval: { approved: true },
      },
      { type: 'data-step', data: { status: 'completed' } },
      { type: 'step-start' },
      { type: 'text', text: 'Done.' },
    ])
    expect(metadata?.status).toBe('finished')
  })

  test('a denied call does not run, and the model reads why', async () => {
    const { parts, metadata, model } = await decided({ approved: false, reason: 'Too far.' })
    expect(parts).toContainEqual(expect.objectContaining({ type: 'tool-weather', state: 'output-denied' }))
    expect(JSON.stringify(model.prompts[1])).toContain('Too far.')
    expect(metadata?.status).toBe('finished')
  })

  test('calls of one step are asked for together, and after a denial LangChain runs none of them', async () => {
    const calls = [
      ...calling('weather', { city: 'Lisbon' }, { id: 'a', index: 0 }),
      ...calling('weather', { city: 'Oslo' }, { id: 'b', index: 1 }),
    ]
    await using server = await serve(approvingAgent(new ScriptedChatModel([calls, [saying('Done.')]])))
    await using stream = new SseBytes(await ask(server.url, { form: '?approvals=wait' }))
    const idsOf = () => [...stream.bytes.toString().matchAll(/"toolCallId":"(.)","approvalId":"([^"]+)"/g)]
    while (idsOf().length < 2) await stream.more()
    for (const [, call, id = ''] of idsOf()) await decide(server.url, id, { approved: call === 'a' })
    await stream.until('[DONE]')
    const { parts, metadata } = await loadAnswer(server.url)
    expect(parts.filter(({ type }) => type === 'tool-weather')).toMatchObject([
      { toolCallId: 'a', state: 'output-error', errorText: 'Interrupted: The tool gave no result.' },
      { toolCallId: 'b', state: 'output-denied' },
    ])
    expect(metadata?.status).toBe('finished')
  })

  test('a breakpoint asks nothing: the graph fails, and says what to do', async () => {
    const graph = createAgent({
      model: new ScriptedChatModel([[saying('Hello.')]]),
      tools: [],
      checkpointer: new MemorySaver(),
    })
    const { metadata } = await answerOf(graph, { config: () => ({ interruptBefore: '*' }) })
    expect(metadata).toMatchObject({ status: 'failed', statusText: expect.stringContaining('breakpoint') })
  })
})

describe('interrupt() with a value', () => {
  const asks = () => {
    const count = interrupt('How many?')
    const colour = interrupt({ message: 'Which colour?', choices: ['red', 'blue'] })
    return { messages: [new AIMessage(`${JSON.stringify(count)} ${JSON.stringify(colour)}`)] }
  }

  test('is a question, and goes on with the answer of a person, a text or any other value', async () => {
    await using server = await serve(oneNode(asks, new MemorySaver()))
    await (await ask(server.url)).text()
    const first = await waiting(server.url)
    expect(first).toMatchObject({ from: 'person', part: { input: { question: 'How many?' } } })
    await answer(server.url, first.requestId, 'three')
    const second = await waiting(server.url, 'Which colour?')
    expect(second.part.input).toEqual({ message: 'Which colour?', choices: ['red', 'blue'] })
    await answer(server.url, second.requestId, { colour: 'red' })
    await expect.poll(async () => (await loadAnswer(server.url)).metadata?.status).toBe('finished')
    const { parts } = await loadAnswer(server.url)
    expect(parts).toContainEqual(expect.objectContaining({ text: '"three" {"colour":"red"}' }))
  })

  test('fails when nobody answers in time, and says so', async () => {
    await using server = await serve(oneNode(asks, new MemorySaver()), {}, { maxApprovalMs: 20 })
    await (await ask(server.url, { form: '?approvals=wait' })).text()
    expect((await loadAnswer(server.url)).metadata).toMatchObject({
      status: 'failed',
      statusText: 'The user did not answer in time.',
    })
  })
})

/** Waits until the answer asks for the output of a call; with a text, of one that has it. */
async function waiting(url: string, text = '') {
  const asked = async () =>
    awaitedOutputs(await loadAnswer(url)).find(({ part }) => JSON.stringify(part.input).includes(text))
  await expect.poll(asked).toBeDefined()
  const found = await asked()
  if (found === undefined) throw new Error('Nothing waits.')
  return found
}

function answer(url: string, requestId: string, output: unknown): Promise<Response> {
  return sendJson(`${url}/api/outputs/${requestId}`, { output })
}

/** Lets a model call a tool that needs approval, and decides. */
async function decided(decision: Decision) {
  const model = new ScriptedChatModel([[...calling('weather', { city: 'Lisbon' })], [saying('Done.')]])
  await using server = await serve(approvingAgent(model))
  await using stream = new SseBytes(await ask(server.url, { form: '?approvals=wait' }))
  await stream.until('"type":"tool-approval-request"')
  await stream.until('"approvalId":')
  await decide(server.url, approvalIn(stream.bytes), decision)
  await stream.until('[DONE]')
  return { ...(await loadAnswer(server.url)), model }
}

function approvingAgent(model: ScriptedChatModel) {
  const middleware = [approving({ weather: true })]
  return createAgent({ model, tools: [weather], middleware, checkpointer: new MemorySaver() })
}
