import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { modelAgent } from '@throughline/agents'
import { isToolPart, type Message } from '@throughline/protocol'
import { ask, loadAnswer, stop } from '@throughline/testing/http/chat-requests'
import { valuesOf } from '@throughline/testing/http/sse-bytes'
import {
  type RecordedProvider,
  type RecordedResponse,
  startRecordedProvider,
} from '@throughline/testing/provider/recorded-provider'
import { startTestServer } from '@throughline/testing/server/test-server'
import { type LanguageModel, tool } from 'ai'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

// The recorded models are unknown to the SDK, which warns of each of them.
globalThis.AI_SDK_LOG_WARNINGS = false

const apiKey = 'not-a-key'
const models = {
  'openai chat': baseURL => createOpenAI({ baseURL, apiKey }).chat('gpt-recorded'),
  'openai responses': baseURL => createOpenAI({ baseURL, apiKey }).responses('gpt-recorded'),
  'openai-compatible': baseURL =>
    createOpenAICompatible({ name: 'recorded', baseURL, apiKey }).chatModel('recorded'),
  anthropic: baseURL => createAnthropic({ baseURL, apiKey })('claude-recorded'),
} satisfies Record<string, (baseURL: string) => LanguageModel>

interface Conversation {
  readonly model: keyof typeof models
  readonly name: string
  readonly style: 'openai' | 'anthropic'
  readonly parts: readonly string[]
}

const lisbon = 'weather {"city":"Lisbon"} -> the sun shines'
const chat = {
  name: 'openai-chat.text-tool-text',
  style: 'openai',
  parts: ['Let me look up the weather in Lisbon.', lisbon, 'It is 21 °C and sunny in Lisbon 🌞.'],
} as const
const around = {
  name: 'openai-chat.text-around-tool',
  style: 'openai',
  parts: ['First the weather.', lisbon, ' One moment, please.', 'The ferry can sail: sun over Lisbon.'],
} as const

const conversations: readonly Conversation[] = [
  { model: 'openai chat', ...chat },
  { model: 'openai-compatible', ...chat },
  { model: 'openai chat', ...around },
  { model: 'openai-compatible', ...around },
  {
    model: 'openai responses',
    name: 'openai-responses.text-tool-text',
    style: 'openai',
    parts: ['I will check the sky over Lisbon.', lisbon, 'Clear sky over Lisbon, 21 degrees.'],
  },
  {
    model: 'anthropic',
    name: 'anthropic.text-tool-text',
    style: 'anthropic',
    parts: ['リスボンの天気を調べます 🌊。', lisbon, 'リスボンは晴れ、気温は21度です ☀️。'],
  },
]

test.each(conversations)(
  '$model: the parts of $name are saved in the order in which they came',
  async conversation => {
    await using provider = await startRecordedProvider(whole(conversation))
    const { answer, shown } = await answerOf(conversation, provider)
    expect(outline(answer)).toEqual(conversation.parts)
    expect(shown).toBe(textIn(answer))
    expect(answer.metadata).toMatchObject({ status: 'finished', usage: { totalTokens: expect.any(Number) } })
  },
)

const failing = conversations.filter(({ name }) => name !== around.name)

describe.each(failing)('$model fails:', conversation => {
  const { name, style } = conversation
  const first = { name: `${name}.1`, style, afterEvents: 6 }
  const [text = ''] = conversation.parts

  test('when the connection breaks in a text, the text is kept once, and the failure is named', async () => {
    await using provider = await startRecordedProvider([{ type: 'cut', ...first }])
    const { answer, shown } = await answerOf(conversation, provider)
    expectKept(answer, { text, shown })
    expect(answer.metadata?.statusText).toBe(
      'The connection to the model provider broke. What was said so far is kept; try again.',
    )
  })

  test('when it falls silent in a text, the text is kept once, and the failure is named', async () => {
    await using provider = await startRecordedProvider([{ type: 'silence', ...first }])
    const { answer, shown } = await answerOf(conversation, provider, { maxSilenceMs: 500 })
    expectKept(answer, { text, shown })
    expect(answer.metadata?.statusText).toBe(
      'The model provider has sent nothing for too long. What it said so far is kept; try again.',
    )
  })

  test('when it sends garbage in a text, the text is kept once, and the failure is named', async () => {
    await using source = await startRecordedProvider([{ type: 'recording', name: first.name, style }])
    const recorded = await (await fetch(source.url, { method: 'POST', body: '{}' })).text()
    const begun = recorded.split('\n\n').slice(0, first.afterEvents).join('\n\n')
    await using provider = await startRecordedProvider([
      { type: 'garbage', text: `${begun}\n\ndata: {"half\n\n` },
    ])
    const { answer, shown } = await answerOf(conversation, provider)
    expectKept(answer, { text, shown })
    expect(answer.metadata?.statusText).toMatch(/What was said so far is kept; try again.$/)
  })

  test.each([
    [429, 'The model provider is busy or its quota is used up (429). Try again in a while.'],
    [500, 'The model provider has a problem of its own (500). Try again in a while.'],
  ])('when it answers %i again and again, nothing of its answer is told', async (status, statusText) => {
    const headers = { 'retry-after-ms': '1' }
    const refusal: RecordedResponse = { type: 'status', status, headers, body: { error: 'secret body' } }
    await using provider = await startRecordedProvider([refusal, refusal, refusal])
    const { answer } = await answerOf(conversation, provider)
    expect(answer.metadata).toMatchObject({ status: 'failed', statusText })
    expect(answer.parts).toEqual([])
    expect(JSON.stringify(answer)).not.toContain('secret')
  })

  test('when it answers 500 once, it is asked again', async () => {
    const headers = { 'retry-after-ms': '1' }
    await using provider = await startRecordedProvider([
      { type: 'status', status: 500, headers, body: 'no' },
      ...whole(conversation),
    ])
    const { answer } = await answerOf(conversation, provider)
    expect(outline(answer)).toEqual(conversation.parts)
  })

  test('when it breaks after a tool was called, the tool has its result and is not called again', async () => {
    await using provider = await startRecordedProvider([
      ...whole(conversation).slice(0, 1),
      { type: 'cut', name: `${name}.2`, style, afterEvents: 6 },
    ])
    const { answer } = await answerOf(conversation, provider)
    expect(outline(answer).slice(0, 2)).toEqual(conversation.parts.slice(0, 2))
    expect(answer.parts.filter(isToolPart)).toHaveLength(1)
    expect(answer.metadata?.status).toBe('failed')
    expect(provider.requests).toHaveLength(2)
  })

  test('the next question is answered, and the model is told what it had said', async () => {
    await using provider = await startRecordedProvider([{ type: 'cut', ...first }, ...whole(conversation)])
    await using server = await startServerFor(conversation, provider)
    await (await ask(server.url)).text()
    const partial = textIn(await loadAnswer(server.url))
    await (await ask(server.url, { messageId: 'again' })).text()
    expect(outline(await loadAnswer(server.url))).toEqual(conversation.parts)
    expect(JSON.stringify(provider.requests[1])).toContain(partial)
  })
})

test.each(failing)('$model: after a stopped tool call the next question is answered', async conversation => {
  const isCalled = Promise.withResolvers<void>()
  const callTool = () => {
    isCalled.resolve()
    return new Promise<never>(() => undefined)
  }
  await using provider = await startRecordedProvider(whole(conversation))
  await using server = await startServerFor(conversation, provider, { callTool })
  const stopped = ask(server.url)
  await isCalled.promise
  await stop(server.url)
  await (await stopped).text()
  await (await ask(server.url, { messageId: 'again' })).text()
  expect(outline(await loadAnswer(server.url))).toEqual(conversation.parts.slice(2))
  expect(JSON.stringify(provider.requests[1])).toContain('Interrupted: Stopped by the user.')
})

function whole({ name, style }: Conversation): readonly RecordedResponse[] {
  return [1, 2].map(step => ({ type: 'recording', name: `${name}.${step}`, style }))
}

interface ServerForOptions {
  readonly maxSilenceMs?: number
  readonly callTool?: () => Promise<string>
}

async function answerOf(
  conversation: Conversation,
  provider: RecordedProvider,
  options: ServerForOptions = {},
): Promise<{ answer: Message; shown: string }> {
  await using server = await startServerFor(conversation, provider, options)
  const stream = Buffer.from(await (await ask(server.url)).arrayBuffer())
  const deltas = z.array(z.object({ type: z.string(), delta: z.string().optional() })).parse(valuesOf(stream))
  const shown = deltas.map(({ type, delta }) => (type === 'text-delta' ? delta : '')).join('')
  return { answer: await loadAnswer(server.url), shown }
}

function startServerFor(
  { model }: Conversation,
  { url }: RecordedProvider,
  { callTool = async () => 'the sun shines', ...options }: ServerForOptions = {},
) {
  const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: callTool })
  const agent = modelAgent({ name: 'assistant', model: models[model](url), tools: { weather }, ...options })
  return startTestServer({ agents: [agent] })
}

function expectKept(answer: Message, { text, shown }: { text: string; shown: string }): void {
  const kept = textIn(answer)
  expect(kept).not.toBe('')
  expect(text.startsWith(kept)).toBe(true)
  expect(shown).toBe(kept)
  expect(answer.metadata?.status).toBe('failed')
  expect(answer.parts.filter(part => 'state' in part && part.state === 'streaming')).toEqual([])
}

function outline({ parts }: Message): readonly string[] {
  return parts.flatMap(part => {
    if (part.type === 'text') return [part.text]
    if (!isToolPart(part)) return []
    return [`${part.type.slice(5)} ${JSON.stringify(part.input)} -> ${part.output ?? part.errorText}`]
  })
}

function textIn({ parts }: Message): string {
  return parts.map(part => (part.type === 'text' ? part.text : '')).join('')
}
