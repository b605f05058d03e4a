import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { calling, saying, scriptedModel, toolResultsOf } from '@throughline/testing/agent/scripted-model'
import { locatingModel } from '@throughline/testing/server/client-tool-server'
import { startDelegation } from '@throughline/testing/server/delegating-server'
import { generateText, isStepCount, type LanguageModel, streamText, tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

const providers: Readonly<Record<string, (baseURL: string) => LanguageModel>> = {
  '@ai-sdk/openai-compatible': baseURL =>
    createOpenAICompatible({ name: 'throughline', baseURL, includeUsage: true })('master'),
  '@ai-sdk/openai, chat completions': baseURL => createOpenAI({ baseURL, apiKey: 'any' }).chat('master'),
  '@ai-sdk/openai, responses': baseURL => createOpenAI({ baseURL, apiKey: 'any' }).responses('master'),
}

/** A tool of the program that uses the agent as its model. */
const locate = tool({
  description: 'Returns where the user is.',
  inputSchema: z.object({ precise: z.boolean() }),
  execute: async ({ precise }) => ({ city: precise ? 'Oslo' : 'Norway' }),
})

const locateFunction = {
  name: 'locate',
  parameters: { type: 'object', properties: { precise: { type: 'boolean' } } },
}

describe.each(Object.entries(providers))('%s', (_, modelOf) => {
  test('runs its own tool in the middle of an answer', async () => {
    const model = locatingModel()
    await using server = await startDelegation({ model })
    const result = await generateText({
      model: modelOf(`${server.url}/v1`),
      tools: { locate },
      stopWhen: isStepCount(3),
      prompt: 'Where am I?',
    })
    expect(result.steps.map(({ text, finishReason }) => [text, finishReason])).toEqual([
      ['One moment.', 'tool-calls'],
      ['You are there.', 'stop'],
    ])
    expect(toolResultsOf(model, 'master')).toContain('Oslo')
    expect(model.doStreamCalls).toHaveLength(2)
  })

  test('runs several tools, one after the other and at once, on a stream', async () => {
    const model = scriptedModel({
      master: [
        [calling('locate', { precise: false }, 'one'), calling('locate', { precise: true }, 'two')],
        [saying('Once more.'), calling('locate', { precise: true }, 'three')],
        [saying('Done.')],
      ],
    })
    await using server = await startDelegation({ model })
    const stream = streamText({
      model: modelOf(`${server.url}/v1`),
      tools: { locate },
      stopWhen: isStepCount(4),
      prompt: 'Where am I?',
    })
    const steps = await stream.steps
    expect(steps.map(({ text, toolCalls }) => [text, toolCalls.length])).toEqual([
      ['', 2],
      ['Once more.', 1],
      ['Done.', 0],
    ])
    expect(model.doStreamCalls).toHaveLength(3)
  })
})

describe('a result', () => {
  const user = { role: 'user', content: 'Where am I?' }

  async function waiting(model = locatingModel()) {
    const server = await startDelegation({ model, tokens: new Map() })
    const tools = [{ type: 'function', function: locateFunction }]
    const first = await post(server.url, { messages: [user], tools })
    const { message } = first.body.choices[0]
    const send = (content: string, id: string = message.tool_calls[0].id) =>
      post(server.url, { messages: [user, message, { role: 'tool', tool_call_id: id, content }], tools })
    return { first, send, model, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
  }

  test('that is sent twice has the same completion, and another one is refused', async () => {
    await using chat = await waiting()
    expect(chat.first.body.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: 'One moment.',
        tool_calls: [{ type: 'function', function: { name: 'locate', arguments: '{"precise":true}' } }],
      },
    })
    const rest = await chat.send('Oslo')
    expect(rest.body.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: 'You are there.' },
    })
    expect((await chat.send('Oslo')).body.choices).toEqual(rest.body.choices)
    const other = await chat.send('Bergen')
    expect(other).toMatchObject({ status: 409, body: { error: { code: 'tool_call_not_waiting' } } })
    expect(chat.model.doStreamCalls).toHaveLength(2)
  })

  test('of a call that nobody made is not found', async () => {
    await using chat = await waiting()
    const foreign = await chat.send('Oslo', 'call_0')
    expect(foreign).toMatchObject({ status: 404, body: { error: { code: 'tool_call_not_found' } } })
  })
})

describe('a response', () => {
  const sent = { type: 'function', description: 'Returns where the user is.', ...locateFunction } as const
  const inForce = { ...sent, strict: false }

  test('names the tools that are in force, also when it goes on, and when it is read again', async () => {
    await using server = await startDelegation({ model: locatingModel() })
    const create = (body: object) => post(server.url, body, 'responses')
    const tools = [sent, { type: 'web_search' }]
    const first = await create({ input: 'Where am I?', tools })
    expect(first.body).toMatchObject({ tools: [inForce], tool_choice: 'auto' })
    const [, call] = first.body.output
    const output = { type: 'function_call_output', call_id: call.call_id, output: 'Oslo' }
    // The answer goes on with the tools that it began with.
    const other = { ...sent, name: 'other' }
    const second = await create({ previous_response_id: first.body.id, input: [output], tools: [other] })
    expect(second.body).toMatchObject({ status: 'completed', tools: [inForce] })
    for (const { id } of [first.body, second.body]) {
      const again = await fetch(`${server.url}/v1/responses/${id}`)
      expect(await again.json()).toMatchObject({ id, tools: [inForce], tool_choice: 'auto' })
      const stream = await fetch(`${server.url}/v1/responses/${id}?stream=true`)
      expect(toolsIn(await stream.text())).toEqual([[inForce], [inForce], [inForce]])
    }
  })

  test.each([
    ['that asks for no calls', { tools: [sent], tool_choice: 'none' }, {}, 'none'],
    ['of a server that takes no tools', { tools: [sent] }, { clientTools: false }, 'auto'],
    ['without tools', {}, {}, 'auto'],
  ])('%s names none', async (_, body, options, tool_choice) => {
    const model = scriptedModel({ master: [[saying('Here.')]] })
    await using server = await startDelegation({ model, ...options })
    const { body: response } = await post(server.url, { input: 'Where am I?', ...body }, 'responses')
    expect(response).toMatchObject({ tools: [], tool_choice })
    const again = await fetch(`${server.url}/v1/responses/${response.id}`)
    expect(await again.json()).toMatchObject({ tools: [], tool_choice })
  })
})

/** Returns the tools in each response of a stream of events. */
function toolsIn(stream: string): readonly unknown[] {
  const events = stream.split('\n').filter(line => line.startsWith('data: {'))
  return events
    .map(line => JSON.parse(line.slice('data: '.length)).response)
    .flatMap(response => (response === undefined ? [] : [response.tools]))
}

async function post(url: string, body: object, path = 'chat/completions') {
  const response = await fetch(`${url}/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'master', ...body }),
  })
  return { status: response.status, body: JSON.parse(await response.text()) }
}
