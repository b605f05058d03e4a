import { expect, test } from 'vitest'
import { converse, errorsOf, type ModelName, type Part, weatherResult } from '../../src/provider/converse.ts'
import { type RecordedResponse, startRecordedProvider } from '../../src/provider/recorded-provider.ts'

interface Conversation {
  readonly title: string
  readonly style: 'openai' | 'anthropic' | 'google'
  readonly models: readonly ModelName[]
  /** The text of each step. */
  readonly texts: readonly string[]
  readonly reasoning: string
  readonly calls: readonly { readonly toolName: string; readonly input: object }[]
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number }
}

const weatherCall = { toolName: 'weather', input: { city: 'Lisbon' } }
const calculatorCall = { toolName: 'calculator', input: { expression: '6*7' } }
const parallelTexts = ['好的，我同时查天气和算一下 🔎。', '里斯本现在晴，21 度；6×7 = 42 👩‍🚀。']

const conversations: readonly Conversation[] = [
  {
    title: 'openai-chat.text-tool-text',
    style: 'openai',
    models: ['openai chat', 'openai-compatible'],
    texts: ['Let me look up the weather in Lisbon.', 'It is 21 °C and sunny in Lisbon 🌞.'],
    reasoning: '',
    calls: [weatherCall],
    usage: { inputTokens: 172, outputTokens: 37 },
  },
  {
    title: 'openai-chat.text-around-tool',
    style: 'openai',
    models: ['openai chat', 'openai-compatible'],
    texts: ['First the weather. One moment, please.', 'The ferry can sail: sun over Lisbon.'],
    reasoning: '',
    calls: [weatherCall],
    usage: { inputTokens: 158, outputTokens: 34 },
  },
  {
    title: 'openai-chat.parallel-tools',
    style: 'openai',
    models: ['openai chat', 'openai-compatible'],
    texts: parallelTexts,
    reasoning: '',
    calls: [weatherCall, calculatorCall],
    usage: { inputTokens: 310, outputTokens: 73 },
  },
  {
    title: 'openai-chat.reasoning-tool-text',
    style: 'openai',
    models: ['openai-compatible'],
    texts: ['', 'Sunny and 21 degrees in Lisbon.'],
    reasoning: 'They want the weather; a forecast tool exists, so I call it.The tool says 21 and sunny.',
    calls: [weatherCall],
    usage: { inputTokens: 480, outputTokens: 66 },
  },
  {
    title: 'openai-responses.text-tool-text',
    style: 'openai',
    models: ['openai responses'],
    texts: ['I will check the sky over Lisbon.', 'Clear sky over Lisbon, 21 degrees.'],
    reasoning: '',
    calls: [weatherCall],
    usage: { inputTokens: 192, outputTokens: 41 },
  },
  {
    title: 'anthropic.text-tool-text',
    style: 'anthropic',
    models: ['anthropic'],
    texts: ['リスボンの天気を調べます 🌊。', 'リスボンは晴れ、気温は21度です ☀️。'],
    reasoning: '',
    calls: [weatherCall],
    // The second step reads 400 tokens from the cache; they count as input.
    usage: { inputTokens: 824, outputTokens: 84 },
  },
  {
    title: 'anthropic.thinking',
    style: 'anthropic',
    models: ['anthropic'],
    texts: ['The answer is 42.'],
    reasoning: 'Six times seven is forty-two; no tool needed.',
    calls: [],
    usage: { inputTokens: 52, outputTokens: 31 },
  },
  {
    title: 'google.text-tool-text',
    style: 'google',
    models: ['google'],
    texts: ['Checking the weather for Lisbon now.', 'Lisbon is sunny at 21 °C 🌉.'],
    reasoning: '',
    calls: [weatherCall],
    usage: { inputTokens: 124, outputTokens: 30 },
  },
]
const takes = conversations.flatMap(conversation =>
  conversation.models.map(model => ({ model, ...conversation })),
)

test.each(takes)('$model takes $title without an error', async ({ model, ...conversation }) => {
  await using provider = await startRecordedProvider(scriptOf(conversation))
  const { result, parts, thrown } = await converse(model, provider.url)

  expect([...errorsOf(parts), ...thrown]).toEqual([])
  expect((await result.steps).map(step => step.text)).toEqual(conversation.texts)
  expect(joinReasoning(parts)).toBe(conversation.reasoning)
  expect(parts.filter(part => part.type === 'tool-call')).toMatchObject(conversation.calls)
  expect(await result.usage).toMatchObject(conversation.usage)
  expect(await result.finishReason).toBe('stop')
  expect(provider.requests).toHaveLength(conversation.texts.length)
})

test.each(takes)('$model opens no id twice in $title', async ({ model, ...conversation }) => {
  await using provider = await startRecordedProvider(scriptOf(conversation))
  const { parts } = await converse(model, provider.url)

  const ids = parts.flatMap(part =>
    part.type === 'text-start' || part.type === 'reasoning-start' || part.type === 'tool-input-start'
      ? [part.id]
      : [],
  )
  expect(ids).toEqual([...new Set(ids)])
})

test.each(takes.filter(({ calls }) => calls.length > 0))(
  '$model sends the tool result back after step 1 of $title',
  async ({ model, ...conversation }) => {
    await using provider = await startRecordedProvider(scriptOf(conversation))
    await converse(model, provider.url)

    expect(JSON.stringify(provider.requests[0])).not.toContain(weatherResult)
    expect(JSON.stringify(provider.requests[1])).toContain(weatherResult)
  },
)

test.each([1, 3, 7, 4096])('a recording reads the same in pieces of %i bytes', async chunkBytes => {
  await using provider = await startRecordedProvider([
    { type: 'recording', name: 'openai-chat.parallel-tools.1', style: 'openai', chunkBytes },
    { type: 'recording', name: 'openai-chat.parallel-tools.2', style: 'openai', chunkBytes },
  ])
  const { result, parts } = await converse('openai chat', provider.url)

  expect((await result.steps).map(step => step.text)).toEqual(parallelTexts)
  expect(parts.filter(part => part.type === 'tool-call')).toMatchObject([weatherCall, calculatorCall])
})

function scriptOf({ title, style, texts }: Conversation): readonly RecordedResponse[] {
  return texts.map((_, index) => ({ type: 'recording', name: `${title}.${index + 1}`, style }))
}

function joinReasoning(parts: readonly Part[]): string {
  return parts.map(part => (part.type === 'reasoning-delta' ? part.text : '')).join('')
}
