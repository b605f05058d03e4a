import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { remoteAgent } from '@throughline/agents'
import {
  breaking,
  calling,
  saying,
  scriptedModel,
  type Turn,
} from '@throughline/testing/agent/scripted-model'
import { ask, loadChat } from '@throughline/testing/http/chat-requests'
import { startTestServer } from '@throughline/testing/server/test-server'
import {
  convertToModelMessages,
  extractReasoningMiddleware,
  isStepCount,
  streamText,
  tool,
  validateUIMessages,
  wrapLanguageModel,
} from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import {
  answerAfter,
  answerOf,
  answerStoppedAfter,
  linesOf,
  type RemoteTestService,
  startRemoteService,
} from './remote-service.ts'

const tools = {
  weather: tool({
    inputSchema: z.object({ city: z.string() }),
    execute: async ({ city }) => ({ city, sky: 'clear' }),
  }),
  broken: tool({
    inputSchema: z.object({}),
    execute: async (): Promise<string> => {
      throw new Error('The tool is broken.')
    },
  }),
}

const endedInMidAnswer = 'The service of Support ended in mid-answer. What it said so far is kept; try again.'

const requestBody = z.object({ id: z.string(), messages: z.array(z.unknown()) })

/** Starts a route as the AI SDK's documentation shows it. */
function startRoute(...turns: readonly Turn[]): Promise<RemoteTestService> {
  const model = wrapLanguageModel({
    model: scriptedModel({ route: turns }),
    middleware: extractReasoningMiddleware({ tagName: 'think' }),
  })
  return startRemoteService(async (body, response) => {
    const messages = await validateUIMessages({ messages: requestBody.parse(body).messages })
    const result = streamText({
      model,
      instructions: 'You are route.',
      messages: await convertToModelMessages(messages),
      tools,
      stopWhen: isStepCount(5),
      onError: () => undefined,
    })
    const {
      status,
      headers,
      body: stream,
    } = result.toUIMessageStreamResponse({
      messageMetadata: ({ part }) => (part.type === 'finish' ? { totalUsage: part.totalUsage } : undefined),
    })
    response.writeHead(status, Object.fromEntries(headers))
    if (stream !== null) await pipeline(Readable.from(stream), response)
  })
}

function agentFor({ url }: Pick<RemoteTestService, 'url'>) {
  return remoteAgent({ name: 'support', displayName: 'Support', url, form: 'ai-sdk' })
}

/** Says a few words and then never goes on. */
async function* hanging() {
  yield saying('Half of the')
  await new Promise(() => undefined)
}

test('text, a tool and text of a stock route are shown in order, with their usage', async () => {
  await using route = await startRoute(
    [saying('Let me look.'), calling('weather', { city: 'Lisbon' })],
    [saying('The sky '), saying('is clear.')],
  )
  const answer = await answerOf(agentFor(route))
  expect(linesOf(answer)).toEqual([
    'Let me look.',
    'weather {"city":"Lisbon"} -> {"city":"Lisbon","sky":"clear"}',
    'The sky is clear.',
  ])
  expect(answer.metadata).toMatchObject({
    status: 'finished',
    finishReason: 'stop',
    usage: {
      inputTokens: 20,
      outputTokens: 10,
      totalTokens: 30,
      cachedInputTokens: 8,
      byModel: { 'support:unknown': { totalTokens: 30 } },
    },
  })
})

test('parallel tools of a stock route, one of which fails, come with their results', async () => {
  await using route = await startRoute(
    [
      calling('weather', { city: 'Lisbon' }, 'one'),
      calling('weather', { city: '北京' }, 'two'),
      calling('broken', {}, 'three'),
    ],
    [saying('Clear in both.')],
  )
  expect(linesOf(await answerOf(agentFor(route)))).toEqual([
    'weather {"city":"Lisbon"} -> {"city":"Lisbon","sky":"clear"}',
    'weather {"city":"北京"} -> {"city":"北京","sky":"clear"}',
    // The route covers the words of its errors.
    'broken {} -> An error occurred.',
    'Clear in both.',
  ])
})

test('the reasoning of a stock route is shown', async () => {
  await using route = await startRoute([saying('<think>Clear skies.</think>It is clear.')])
  expect(linesOf(await answerOf(agentFor(route)))).toEqual(['(Clear skies.)', 'It is clear.'])
})

test('an error of a stock route ends the answer as failed, and what was said is kept', async () => {
  // The script has no second turn, so the second call of the model fails.
  await using route = await startRoute([saying('Well, '), calling('weather', { city: 'Lisbon' })])
  const answer = await answerOf(agentFor(route))
  expect(linesOf(answer)).toEqual(['Well, ', 'weather {"city":"Lisbon"} -> {"city":"Lisbon","sky":"clear"}'])
  expect(answer.metadata).toMatchObject({
    status: 'failed',
    statusText: 'The service of Support reported an error: An error occurred.',
  })
})

test('when the model of a stock route breaks in mid-answer, what was said is kept', async () => {
  await using route = await startRoute([saying('Well, '), breaking('a secret of the provider')])
  const answer = await answerOf(agentFor(route))
  expect(linesOf(answer)).toEqual(['Well, '])
  expect(answer.metadata).toMatchObject({ status: 'failed', statusText: endedInMidAnswer })
})

test('a stop aborts the request to a stock route', async () => {
  await using route = await startRoute(hanging)
  const answer = await answerStoppedAfter(agentFor(route), 'Half of the')
  await route.left
  expect(linesOf(answer)).toEqual(['Half of the'])
  expect(answer.metadata).toMatchObject({ status: 'stopped' })
})

test('when a stock route is killed in mid-answer, the answer ends named and nothing shown is lost', async () => {
  await using route = await startRoute(
    [saying('Let me look.'), calling('weather', { city: 'Lisbon' })],
    hanging,
  )
  const answer = await answerAfter(agentFor(route), 'Half of the', () => route.kill())
  expect(linesOf(answer)).toEqual([
    'Let me look.',
    'weather {"city":"Lisbon"} -> {"city":"Lisbon","sky":"clear"}',
    'Half of the',
  ])
  expect(answer.metadata).toMatchObject({
    status: 'failed',
    statusText: endedInMidAnswer,
  })
})

test('a stock route gets the whole conversation, with the results of its tools and always the same id', async () => {
  await using route = await startRoute([calling('weather', { city: 'Lisbon' })], [saying('Clear.')])
  await using server = await startTestServer({ agents: [agentFor(route)] })
  await (await ask(server.url, { messageId: 'one' })).text()
  await (await ask(server.url, { messageId: 'two', text: 'And tomorrow?' })).text()
  const [first, second] = route.requests.map(({ body }) => requestBody.parse(body))
  expect(first?.id).toMatch(/^chat_[0-9a-f]{32}$/)
  expect(second?.id).toBe(first?.id)
  const { messages } = await loadChat(server.url)
  expect(second?.messages).toEqual(
    messages.slice(0, 3).map(({ id, role, parts }) => ({
      id,
      role,
      parts: parts.filter(({ type }) => type !== 'data-step'),
    })),
  )
})
