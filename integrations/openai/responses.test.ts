import { say, scriptedAgent, textToolText } from '@throughline/testing/agent/scripted-agent'
import { loadChat } from '@throughline/testing/http/chat-requests'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { listeningAgent } from '../../packages/server/test/openai/listening-agent.ts'
import { apiErrorOf, openAi } from './open-ai-client.ts'

const asked = { model: 'assistant', input: 'How is the weather?' }
const thinking = scriptedAgent('assistant', [{ type: 'reasoning-delta', text: 'Clouds?' }, ...textToolText])

describe('a response', () => {
  test('has each part of the answer as an item, without the calls that the server has carried out', async () => {
    await using server = await startTestServer({ agents: [thinking] })
    const response = await openAi(server.url).responses.create({ ...asked, metadata: { colour: 'blue' } })
    expect(response).toMatchObject({
      id: expect.stringMatching(/^run_/),
      object: 'response',
      status: 'completed',
      model: 'assistant',
      metadata: { colour: 'blue' },
      error: null,
      usage: { input_tokens: 30, output_tokens: 12, total_tokens: 42 },
      output: [
        { type: 'reasoning', status: 'completed', summary: [{ type: 'summary_text', text: 'Clouds?' }] },
        { type: 'message', content: [{ type: 'output_text', text: 'Let me look. ' }] },
        { type: 'message', content: [{ type: 'output_text', text: 'The sky is clear.' }] },
      ],
    })
    expect(response.output_text).toBe('Let me look. The sky is clear.')
  })

  test('is the same when it is read later', async () => {
    await using server = await startTestServer({ agents: [thinking] })
    const { responses } = openAi(server.url)
    const response = await responses.create({ ...asked, metadata: { colour: 'blue' } })
    expect(await responses.retrieve(response.id)).toEqual(response)
  })

  test('is told in numbered events, which the own helper of the client puts together', async () => {
    await using server = await startTestServer({ agents: [thinking] })
    const { responses } = openAi(server.url)
    const stream = responses.stream(asked)
    const events: OpenAI.Responses.ResponseStreamEvent[] = []
    stream.on('event', event => void events.push(event))
    const response = await stream.finalResponse()
    expect(response.output_text).toBe('Let me look. The sky is clear.')
    expect(events.map(event => event.sequence_number)).toEqual(events.map((_, index) => index))
    expect(events.map(({ type }) => type)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      ...textEvents,
      ...textEvents,
      'response.completed',
    ])
  })

  test('that fails says why', async () => {
    const agent = scriptedAgent('assistant', [say('Let me'), { type: 'error', error: new Error('Down.') }])
    await using server = await startTestServer({ agents: [agent] })
    const { responses } = openAi(server.url)
    const failed = { status: 'failed', error: { code: 'server_error', message: expect.any(String) } }
    expect(await responses.create(asked)).toMatchObject(failed)
    const events = await Array.fromAsync(await responses.create({ ...asked, stream: true }))
    expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: failed })
  })

  test('that reached its limit is incomplete', async () => {
    const agent = scriptedAgent('assistant', [say('And so'), { type: 'finish', finishReason: 'length' }])
    await using server = await startTestServer({ agents: [agent] })
    expect(await openAi(server.url).responses.create(asked)).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
    })
  })
})

const textEvents = [
  'response.output_item.added',
  'response.content_part.added',
  'response.output_text.delta',
  'response.output_text.done',
  'response.content_part.done',
  'response.output_item.done',
]

describe('a conversation', () => {
  test('goes on after the response that the client names', async () => {
    const { agent, given } = listeningAgent()
    await using server = await startTestServer({ agents: [agent] })
    const { responses } = openAi(server.url)
    const one = await responses.create({ ...asked, input: 'One' })
    const two = await responses.create({ ...asked, input: 'Two', previous_response_id: one.id })
    expect(two.previous_response_id).toBe(one.id)
    expect(two.conversation).toEqual(one.conversation)
    // Both follow the first response, one beside the other.
    await responses.create({ ...asked, input: 'Else', previous_response_id: one.id })
    expect(given).toEqual([['One'], ['One', 'I heard 1.', 'Two'], ['One', 'I heard 1.', 'Else']])
    expect(await responses.retrieve(two.id)).toEqual(two)
  })

  test('goes on in the chat that the client names', async () => {
    const { agent, given } = listeningAgent()
    await using server = await startTestServer({ agents: [agent] })
    const { responses } = openAi(server.url)
    await responses.create({ ...asked, input: 'One', conversation: 'trip' })
    await responses.create({ ...asked, input: 'Two', conversation: { id: 'trip' } })
    expect(given.at(-1)).toEqual(['One', 'I heard 1.', 'Two'])
    expect((await loadChat(server.url, 'trip')).messages).toHaveLength(4)
  })

  test('of a client that keeps it is a new chat', async () => {
    const { agent, given } = listeningAgent()
    await using server = await startTestServer({ agents: [agent] })
    const { responses } = openAi(server.url)
    const first = await responses.create({ ...asked, input: [{ role: 'user', content: 'One' }] })
    const input: OpenAI.Responses.ResponseInput = [
      { role: 'developer', content: 'Be brief.' },
      { role: 'user', content: 'One' },
      ...first.output.filter(item => item.type === 'message'),
      { role: 'user', content: [{ type: 'input_text', text: 'Two' }] },
    ]
    const second = await responses.create({ ...asked, input })
    expect(given.at(-1)).toEqual(['One', 'I heard 1.', 'Two'])
    expect(second.conversation).not.toEqual(first.conversation)
  })

  test('may refer to the items of earlier responses, but only to those of the same owner', async () => {
    const { agent, given } = listeningAgent()
    const tokens = new Map([
      ['a', ownerIdOf('ann')],
      ['b', ownerIdOf('bob')],
    ])
    await using server = await startTestServer({ agents: [agent], tokens })
    const ann = openAi(server.url, { apiKey: 'a' })
    const { output } = await ann.responses.create({ ...asked, input: 'One' })
    const input = [
      { role: 'user', content: 'One' },
      ...output.map(({ id }) => ({ type: 'item_reference', id: id ?? '' }) as const),
      { role: 'user', content: 'Two' },
    ] satisfies OpenAI.Responses.ResponseInput
    await ann.responses.create({ ...asked, input })
    expect(given.at(-1)).toEqual(['One', 'I heard 1.', 'Two'])
    const refused = apiErrorOf(openAi(server.url, { apiKey: 'b' }).responses.create({ ...asked, input }))
    expect((await refused).message).toMatch(/no finished answer with the item/)
  })

  test('that must not be stored is gone after the response', async () => {
    await using server = await startTestServer()
    const { responses } = openAi(server.url)
    const response = await responses.create({ ...asked, store: false })
    expect(response.status).toBe('completed')
    await expect.poll(async () => statusOf(responses.retrieve(response.id))).toBe(404)
    expect(await server.store.chats.list(ownerIdOf('local'), { limit: 1 })).toEqual([])
  })
})

describe('a request that cannot be fulfilled', () => {
  test.each<[string, Partial<OpenAI.Responses.ResponseCreateParamsNonStreaming>, RegExp]>([
    [
      'an image',
      { input: [{ role: 'user', content: [{ type: 'input_image', detail: 'auto', file_id: 'file_1' }] }] },
      /input_image/,
    ],
    ['JSON', { text: { format: { type: 'json_object' } } }, /text\.format/],
    ['two chats', { conversation: 'trip', previous_response_id: 'run_1' }, /not both/],
    ['a stored response that must not be stored', { background: true, store: false }, /"store"/],
  ])('with %s is refused', async (_, fields, message) => {
    await using server = await startTestServer()
    const error = await apiErrorOf(openAi(server.url).responses.create({ ...asked, ...fields }))
    expect(error).toBeInstanceOf(OpenAI.BadRequestError)
    expect(error.message).toMatch(message)
  })

  test('with answers for a chat that has its own is refused', async () => {
    await using server = await startTestServer()
    const { responses } = openAi(server.url)
    const { id } = await responses.create(asked)
    const input = [
      { role: 'assistant', content: 'I said so.' },
      { role: 'user', content: 'Did you?' },
      { role: 'assistant', content: 'Yes.' },
      { role: 'user', content: 'Really?' },
    ] as const
    const error = await apiErrorOf(
      responses.create({ ...asked, input: [...input], previous_response_id: id }),
    )
    expect(error.message).toMatch(/only the new message/)
  })

  test('for a response that is not there, or is another owner’s, tells nothing', async () => {
    const tokens = new Map([
      ['a', ownerIdOf('ann')],
      ['b', ownerIdOf('bob')],
    ])
    await using server = await startTestServer({ tokens })
    const { id } = await openAi(server.url, { apiKey: 'a' }).responses.create(asked)
    const { responses } = openAi(server.url, { apiKey: 'b' })
    for (const unknown of [id, 'run_0', 'no id at all']) {
      for (const request of [
        () => responses.retrieve(unknown),
        () => responses.cancel(unknown),
        () => responses.create({ ...asked, previous_response_id: unknown }),
      ])
        expect(await apiErrorOf(request())).toMatchObject({ status: 404, code: 'response_not_found' })
    }
    const error = await apiErrorOf(
      openAi(server.url, { apiKey: 'a' }).responses.retrieve(id, { stream: true, starting_after: -2 }),
    )
    expect(error).toMatchObject({ status: 400, code: 'invalid_starting_after' })
  })
})

async function statusOf(request: PromiseLike<unknown>): Promise<number | undefined> {
  try {
    await request
    return 200
  } catch (error) {
    return error instanceof OpenAI.APIError ? error.status : undefined
  }
}
