import type { Agent } from '@throughline/agents/agent'
import { textOf } from '@throughline/protocol/message'
import { finish, heldAgent, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { approvalIn, decide } from '@throughline/testing/http/approval-requests'
import { loadAnswer, loadChat, stop } from '@throughline/testing/http/chat-requests'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { ownerIdOf, startTestServer } from '@throughline/testing/server/test-server'
import { approvalServer } from '@throughline/testing/server/waiting-call'
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

describe('the conversation in a request', () => {
  const history = [
    { role: 'system', content: 'Be brief.' },
    assistant('Welcome!'),
    user('One'),
    assistant('First.'),
    user('Two'),
    assistant('Second.'),
  ] satisfies Sent[]

  test('is a new chat, and the agent reads all of it that was said', async () => {
    const { agent, given } = listeningAgent()
    await using server = await startTestServer({ agents: [agent] })
    const client = openAi(server.url)
    const { response } = await client.chat.completions
      .create({ ...asked, messages: [...history, user('Three')] })
      .withResponse()
    expect(given).toEqual([['One', 'First.', 'Two', 'Second.', 'Three']])
    const chatId = response.headers.get('x-chat-id') ?? ''
    const saved = (await loadChat(server.url, chatId)).messages
    expect(saved.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
      'assistant',
    ])
    expect(saved.map(textOf)).toEqual(['One', 'First.', 'Two', 'Second.', 'Three', 'I heard 5.'])
    await client.chat.completions.create({ ...asked, messages: [...history, user('Three')] })
    const chats = await server.store.chats.list(ownerIdOf('local'), { limit: 10 })
    expect(chats.map(({ title }) => title)).toEqual(['One', 'One'])
  })

  test('goes on in the chat that the client names', async () => {
    const { agent, given } = listeningAgent()
    await using server = await startTestServer({ agents: [agent] })
    const client = openAi(server.url)
    const messages = [user('One')]
    for (const next of ['Two', 'Three', 'Four']) {
      const completion = await client.chat.completions.create({
        ...asked,
        messages,
        metadata: { chat_id: 'trip' },
      })
      messages.push(assistant(completion.choices[0]?.message.content ?? ''), user(next))
    }
    expect((await loadChat(server.url, 'trip')).messages.map(textOf)).toEqual([
      'One',
      'I heard 1.',
      'Two',
      'I heard 3.',
      'Three',
      'I heard 5.',
    ])
    // The client cuts its history and asks something else: the agent reads what the client has.
    await client.chat.completions.create({
      ...asked,
      messages: [...messages.slice(0, 2), user('Else')],
      metadata: { chat_id: 'trip' },
    })
    expect(given.at(-1)).toEqual(['One', 'I heard 1.', 'Else'])
  })

  test('may have its text in parts', async () => {
    const { agent, given } = listeningAgent()
    await using server = await startTestServer({ agents: [agent] })
    const content = ['See ', 'this.'].map(text => ({ type: 'text', text }) as const)
    await openAi(server.url).chat.completions.create({ ...asked, messages: [{ role: 'user', content }] })
    expect(given).toEqual([['See \n\nthis.']])
  })
})

describe('a request that cannot be fulfilled', () => {
  const image: Sent = {
    role: 'user',
    content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }],
  }
  const tool = { type: 'function', function: { name: 'unlock' } } as const

  test.each<[string, Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>, RegExp]>([
    ['an image', { messages: [image] }, /image_url/],
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

describe('an agent that fails', () => {
  const failing = () => {
    let runs = 0
    const agent = scriptedAgent('assistant', function* () {
      runs += 1
      yield say('Let me')
      yield { type: 'error', error: new Error('The weather service is down.') }
    })
    return { agent, runs: () => runs }
  }

  test('is an error at the end of the stream', async () => {
    const { agent } = failing()
    await using server = await startTestServer({ agents: [agent] })
    const stream = await openAi(server.url).chat.completions.create({ ...asked, stream: true })
    const read: string[] = []
    const error = await apiErrorOf(
      (async () => {
        for await (const { choices } of stream) read.push(choices[0]?.delta.content ?? '')
      })(),
    )
    expect(read.join('')).toBe('Let me')
    expect(error).toMatchObject({ code: 'agent_failed', type: 'server_error' })
  })

  test('is an error of the server, and is not asked again by a client that tries again', async () => {
    const { agent, runs } = failing()
    await using server = await startTestServer({ agents: [agent] })
    const client = openAi(server.url, { maxRetries: 2 })
    const error = await apiErrorOf(client.chat.completions.create(asked))
    expect(error).toBeInstanceOf(OpenAI.InternalServerError)
    expect(error).toMatchObject({ code: 'agent_failed' })
    expect(runs()).toBe(1)
  })
})

test('an answer that reached its limit says so', async () => {
  const agent = scriptedAgent('assistant', [say('And so'), { type: 'finish', finishReason: 'length' }])
  await using server = await startTestServer({ agents: [agent] })
  const completion = await openAi(server.url).chat.completions.create(asked)
  expect(completion.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: 'And so' } })
})

describe('a client that leaves', () => {
  const fields = { ...asked, metadata: { chat_id: 'trip' } }

  test.each(['a stream', 'a request that waits'])('%s stops the answer', async how => {
    const { agent, started } = endlessAgent()
    await using server = await startTestServer({ agents: [agent] })
    const left = new AbortController()
    const completions = openAi(server.url).chat.completions
    if (how === 'a stream') {
      const stream = await completions.create({ ...fields, stream: true })
      // Leaving the loop closes the connection.
      for await (const { choices } of stream) if (choices[0]?.delta.content === 'Once') break
    } else {
      const request = completions.create(fields, { signal: left.signal })
      await started
      left.abort()
      expect(await apiErrorOf(request)).toBeInstanceOf(OpenAI.APIUserAbortError)
    }
    await expect.poll(async () => (await loadAnswer(server.url, 'trip')).metadata?.status).toBe('stopped')
  })

  test('at the end of the answer stops nothing', async () => {
    await using server = await startTestServer()
    await Array.fromAsync(await openAi(server.url).chat.completions.create({ ...fields, stream: true }))
    expect((await loadAnswer(server.url, 'trip')).metadata?.status).toBe('finished')
  })
})

test('an answer that somebody else stops ends for the client', async () => {
  const { agent } = heldAgent('assistant', { before: [say('Once')] })
  await using server = await startTestServer({ agents: [agent] })
  const stream = await openAi(server.url).chat.completions.create({
    ...asked,
    stream: true,
    metadata: { chat_id: 'trip' },
  })
  const reasons: unknown[] = []
  for await (const { choices } of stream) {
    if (choices[0]?.delta.content === 'Once') await stop(server.url, 'trip')
    reasons.push(choices[0]?.finish_reason)
  }
  expect(reasons.at(-1)).toBe('stop')
})

test('an answer waits with its client while a person decides on a call', async () => {
  const { server } = await approvalServer()
  await using _ = server
  const completion = openAi(server.url).chat.completions.create({
    ...asked,
    model: 'master',
    metadata: { chat_id: 'trip' },
  })
  await expect.poll(async () => (await fetch(`${server.url}/api/chats/trip`)).status).toBe(200)
  await using log = new SseBytes(await fetch(`${server.url}/api/chats/trip/log`))
  await log.until('"approvalId":')
  await decide(server.url, approvalIn(log.bytes), { approved: true })
  expect((await completion).choices[0]?.message.content).toBe('Done.')
})

/** An agent that says how many messages it was given, and a list of their texts per run. */
function listeningAgent(): { readonly agent: Agent; readonly given: readonly (readonly string[])[] } {
  const given: (readonly string[])[] = []
  const agent = scriptedAgent('assistant', ({ messages }) => {
    given.push(messages.map(textOf))
    return [say(`I heard ${messages.length}.`), finish]
  })
  return { agent, given }
}

/** An agent that begins a story and goes on only when it is stopped. */
function endlessAgent(): { readonly agent: Agent; readonly started: Promise<void> } {
  const { promise: started, resolve } = Promise.withResolvers<void>()
  const agent = scriptedAgent('assistant', async function* ({ signal }) {
    yield say('Once')
    resolve()
    await new Promise<void>(ended => signal.addEventListener('abort', () => ended(), { once: true }))
  })
  return { agent, started }
}
