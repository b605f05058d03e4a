import { say, scriptedAgent, textToolText } from '@throughline/testing/agent/scripted-agent'
import { sendJson } from '@throughline/testing/http/chat-requests'
import { startTestServer } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'
import { listeningAgent } from '../../packages/server/test/openai/listening-agent.ts'
import { responseResource, streamingEvent } from './facts.ts'

const model = 'assistant'
const user = (content: unknown) => ({ type: 'message', role: 'user', content })
const thinking = scriptedAgent(model, [{ type: 'reasoning-delta', text: 'Clouds?' }, ...textToolText])
const png =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describe('a response has every field of the specification', () => {
  test.each([
    ['to a message', [user('Say hello.')]],
    [
      'with a system message',
      [{ type: 'message', role: 'system', content: 'Be brief.' }, user('Say hello.')],
    ],
    [
      'to an image',
      [
        user([
          { type: 'input_text', text: 'What is this?' },
          { type: 'input_image', image_url: png },
        ]),
      ],
    ],
    [
      'after several turns',
      [
        user('My name is Alice.'),
        { type: 'message', role: 'assistant', content: 'Hello Alice.' },
        user('What is my name?'),
      ],
    ],
    [
      'after messages with phases',
      [
        { type: 'message', role: 'assistant', phase: 'commentary', content: 'I look it up.' },
        { type: 'message', role: 'assistant', phase: 'final_answer', content: 'Four.' },
        user('Repeat only the number.'),
      ],
    ],
  ])('%s', async (_, input) => {
    await using server = await startTestServer({ agents: [thinking] })
    const response = responseResource.parse(await (await post(server.url, { input })).json())
    expect(response).toMatchObject({ status: 'completed', completed_at: expect.any(Number) })
    expect(response.output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'message'])
  })

  test('when it failed', async () => {
    const agent = scriptedAgent(model, [say('Let me'), { type: 'error', error: new Error('Down.') }])
    await using server = await startTestServer({ agents: [agent] })
    const response = responseResource.parse(await (await post(server.url, { input: 'Hi' })).json())
    expect(response).toMatchObject({ status: 'failed', output: [{ status: 'incomplete' }] })
  })

  test('while it is being written in the background, and after', async () => {
    await using server = await startTestServer({ agents: [thinking] })
    const begun = await (await post(server.url, { input: 'Hi', background: true })).json()
    const { id, background } = responseResource.parse(begun)
    expect(background).toBe(true)
    const read = async () =>
      responseResource.parse(await (await fetch(`${server.url}/v1/responses/${id}`)).json())
    await expect.poll(async () => (await read()).status).toBe('completed')
  })
})

test('every event of a stream has every field of its type, and they are numbered without gaps', async () => {
  await using server = await startTestServer({ agents: [thinking] })
  const stream = await post(server.url, { input: [user('Count from 1 to 5.')], stream: true })
  const sent = (await stream.text()).split('\n\n').slice(0, -1).map(namedEvent)
  const events = sent.map(({ data }) => streamingEvent.parse(data))
  expect(sent.map(({ name }) => name)).toEqual(events.map(({ type }) => type))
  expect(events.map(each => each.sequence_number)).toEqual(events.map((_, index) => index))
  expect(events.slice(0, 2).map(({ type }) => type)).toEqual(['response.created', 'response.in_progress'])
  expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { status: 'completed' } })
})

test('a response goes on after the one that the client names', async () => {
  const { agent, given } = listeningAgent()
  await using server = await startTestServer({ agents: [agent] })
  const { id } = responseResource.parse(await (await post(server.url, { input: 'One' })).json())
  const second = await (await post(server.url, { input: 'Two', previous_response_id: id })).json()
  expect(responseResource.parse(second).previous_response_id).toBe(id)
  expect(given.at(-1)).toEqual(['One', 'I heard 1.', 'Two'])
})

test('a response says what was in force, not what was asked', async () => {
  await using server = await startTestServer({ agents: [thinking] })
  const asked = {
    input: 'Hi',
    temperature: 0.2,
    top_p: 0.5,
    presence_penalty: 1,
    frequency_penalty: 1,
    max_output_tokens: 16,
    max_tool_calls: 1,
    top_logprobs: 3,
    truncation: 'auto',
    service_tier: 'flex',
    reasoning: { effort: 'high' },
    instructions: 'Be a pirate.',
    safety_identifier: 'me',
    prompt_cache_key: 'key',
  }
  expect(await (await post(server.url, asked)).json()).toMatchObject({
    temperature: 1,
    top_p: 1,
    presence_penalty: 0,
    frequency_penalty: 0,
    max_output_tokens: null,
    max_tool_calls: null,
    top_logprobs: 0,
    truncation: 'disabled',
    service_tier: 'default',
    reasoning: null,
    instructions: null,
    safety_identifier: null,
    prompt_cache_key: null,
    store: true,
  })
  expect(await (await post(server.url, { input: 'Hi', store: false })).json()).toMatchObject({ store: false })
})

function post(url: string, body: object): Promise<Response> {
  return sendJson(`${url}/v1/responses`, { model, ...body })
}

function namedEvent(block: string): { readonly name: string | undefined; readonly data: unknown } {
  const [, name] = /^event: (.*)$/m.exec(block) ?? []
  const [, data = ''] = /^data: (.*)$/m.exec(block) ?? []
  return { name, data: JSON.parse(data) }
}
