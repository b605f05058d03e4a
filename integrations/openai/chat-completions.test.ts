import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { apiErrorOf, openAi } from './open-ai-client.ts'

type Sent = OpenAI.ChatCompletionMessageParam

const user = (content: string): Sent => ({ role: 'user', content })
const assistant = (content: string): Sent => ({ role: 'assistant', content })
const asked = { model: 'assistant', messages: [user('How is the weather?')] }
const answer = 'Let me look. \n\nThe sky is clear.'

describe('an answer of text, tool and text', () => {
  test('is one message, without the calls that the server has carried out', async () => {
    await using server = await startTestServer({ now: () => new Date('2026-01-02T03:04:05.678Z') })
    const completion = await openAi(server.url).chat.completions.create(asked)
    expect(completion).toEqual({
      id: expect.stringMatching(/^msg_/),
      object: 'chat.completion',
      created: Date.parse('2026-01-02T03:04:05Z') / 1000,
      model: 'assistant',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: answer, refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: {
        prompt_tokens: 30,
        completion_tokens: 12,
        total_tokens: 42,
        prompt_tokens_details: { cached_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    })
  })

  test('is told delta by delta, with the usage at the end if the client wants it', async () => {
    await using server = await startTestServer()
    const stream = await openAi(server.url).chat.completions.create({
      ...asked,
      stream: true,
      stream_options: { include_usage: true },
    })
    const chunks = await Array.fromAsync(stream)
    const choices = chunks.flatMap(chunk => chunk.choices)
    expect(choices.map(({ delta }) => delta)).toEqual([
      { role: 'assistant', content: '' },
      { content: 'Let me look. ' },
      { content: '\n\nThe sky is clear.' },
      {},
    ])
    expect(choices.map(each => each.finish_reason)).toEqual([null, null, null, 'stop'])
    expect(chunks.map(({ usage }) => usage?.total_tokens)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      42,
    ])
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
  })

  test('is told without the usage if the client does not ask for it', async () => {
    await using server = await startTestServer()
    const chunks = await Array.fromAsync(
      await openAi(server.url).chat.completions.create({ ...asked, stream: true }),
    )
    expect(chunks.every(chunk => !('usage' in chunk) && chunk.choices.length === 1)).toBe(true)
  })

  test("is put together by the client's own helper", async () => {
    await using server = await startTestServer()
    const stream = openAi(server.url).chat.completions.stream(asked)
    expect(await stream.finalContent()).toBe(answer)
  })
})

test('reasoning is told apart from the text', async () => {
  const agent = scriptedAgent('assistant', [
    { type: 'reasoning-delta', text: 'Clouds?' },
    say('No clouds.'),
    { type: 'reasoning-delta', text: 'Rain?' },
    say('No rain.'),
    finish,
  ])
  await using server = await startTestServer({ agents: [agent] })
  const client = openAi(server.url)
  const completion = await client.chat.completions.create(asked)
  const message = { content: 'No clouds.\n\nNo rain.', reasoning_content: 'Clouds?\n\nRain?' }
  expect(completion.choices[0]?.message).toMatchObject(message)
  const deltas = (await Array.fromAsync(await client.chat.completions.create({ ...asked, stream: true })))
    .flatMap(({ choices }) => choices)
    .map(({ delta }) => delta)
  expect(deltas.map(delta => delta.content ?? '').join('')).toBe(message.content)
  expect(deltas.map(delta => ('reasoning_content' in delta ? delta.reasoning_content : '')).join('')).toBe(
    message.reasoning_content,
  )
})

describe('the models', () => {
  test('are the agents', async () => {
    await using server = await startTestServer({
      agents: [scriptedAgent('writer', [finish]), scriptedAgent('reader', [say('I read.'), finish])],
    })
    const client = openAi(server.url)
    expect((await Array.fromAsync(client.models.list())).map(({ id }) => id)).toEqual(['writer', 'reader'])
    expect(await client.models.retrieve('reader')).toMatchObject({ id: 'reader', object: 'model' })
    const completion = await client.chat.completions.create({ ...asked, model: 'reader' })
    expect(completion.choices[0]?.message.content).toBe('I read.')
  })

  test('that do not exist are an error of the client', async () => {
    await using server = await startTestServer()
    const client = openAi(server.url)
    for (const request of [
      () => client.chat.completions.create({ ...asked, model: 'gpt-9' }),
      () => client.chat.completions.create({ ...asked, model: 'user::Ann' }),
      () => client.models.retrieve('gpt-9'),
    ]) {
      const error = await apiErrorOf(request())
      expect(error).toBeInstanceOf(OpenAI.NotFoundError)
      expect(error).toMatchObject({ code: 'model_not_found', type: 'invalid_request_error' })
      expect(error.message).toContain('assistant')
    }
  })
})

describe('a request that cannot be fulfilled', () => {
  const image: Sent = {
    role: 'user',
    content: [{ type: 'image_url', image_url: { url: 'https://evil.example/red.png' } }],
  }
  const sound: Sent = {
    role: 'user',
    content: [{ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }],
  }
  const tool = { type: 'function', function: { name: 'unlock' } } as const

  test.each<[string, Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>, RegExp]>([
    ['an image from elsewhere', { messages: [user('Hi'), assistant('Hi.'), image] }, /file/i],
    ['a sound', { messages: [sound] }, /input_audio/],
    ['no question', { messages: [user('Hi'), assistant('Hi.')] }, /role "user"/],
    ['several answers', { n: 2 }, /"n"/],
    ['JSON', { response_format: { type: 'json_object' } }, /response_format/],
    ['a call of its own tool', { tools: [tool], tool_choice: 'required' }, /tool_choice/],
    ['a chat with a bad name', { metadata: { chat_id: 'a b' } }, /chat id/],
  ])('with %s is refused, and nothing is begun', async (_, fields, message) => {
    await using server = await startTestServer()
    const error = await apiErrorOf(openAi(server.url).chat.completions.create({ ...asked, ...fields }))
    expect(error).toBeInstanceOf(OpenAI.BadRequestError)
    expect(error.message).toMatch(message)
    expect(await server.store.chats.list(ownerIdOf('local'), { limit: 1 })).toEqual([])
  })

  test('with an unknown token, or a route that does not exist, is refused as OpenAI would', async () => {
    const tokens = new Map([['secret', ownerIdOf('ann')]])
    await using server = await startTestServer({ tokens })
    const refused = await apiErrorOf(openAi(server.url).chat.completions.create(asked))
    expect(refused).toBeInstanceOf(OpenAI.AuthenticationError)
    expect(refused).toMatchObject({ code: 'token-required', type: 'invalid_request_error' })
    const client = openAi(server.url, { apiKey: 'secret' })
    expect((await client.chat.completions.create(asked)).choices).toHaveLength(1)
    const lost = await apiErrorOf(client.embeddings.create({ model: 'assistant', input: 'Hi' }))
    expect(lost).toMatchObject({ status: 404, code: 'route-not-found' })
  })
})
