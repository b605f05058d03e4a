import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { scriptedAgent, textToolText } from '@throughline/testing/agent/scripted-agent'
import { startTestServer } from '@throughline/testing/server/test-server'
import { generateText, type LanguageModel, type ModelMessage, streamText } from 'ai'
import { expect, test } from 'vitest'
import { listeningAgent } from './listening-agent.ts'

// The AI SDK talks to the server as if it were OpenAI. So an agent can be the model of another program.

const providers: Readonly<Record<string, (baseURL: string) => LanguageModel>> = {
  '@ai-sdk/openai-compatible': baseURL =>
    createOpenAICompatible({ name: 'throughline', baseURL, includeUsage: true })('assistant'),
  '@ai-sdk/openai, chat completions': baseURL => createOpenAI({ baseURL, apiKey: 'any' }).chat('assistant'),
  '@ai-sdk/openai, responses': baseURL => createOpenAI({ baseURL, apiKey: 'any' }).responses('assistant'),
}

test.each(Object.entries(providers))('%s reads an answer, streamed or not', async (name, modelOf) => {
  const agent = scriptedAgent('assistant', [{ type: 'reasoning-delta', text: 'Clouds?' }, ...textToolText])
  await using server = await startTestServer({ agents: [agent] })
  const model = modelOf(`${server.url}/v1`)
  const stream = streamText({ model, prompt: 'How is the weather?' })
  const between = name.endsWith('responses') ? '' : '\n\n'
  expect(await stream.text).toBe(`Let me look. ${between}The sky is clear.`)
  expect(await stream.finishReason).toBe('stop')
  expect((await stream.usage).totalTokens).toBe(42)
  expect(await stream.toolCalls).toEqual([])
  // The provider of OpenAI does not know the field that others use for reasoning in chat completions.
  if (!name.endsWith('chat completions')) expect(await stream.reasoningText).toBe('Clouds?')
  const generated = await generateText({ model, prompt: 'How is the weather?' })
  expect(generated.text).toBe(`Let me look. ${between}The sky is clear.`)
})

test.each(Object.entries(providers))('%s brings what was said before', async (_, modelOf) => {
  const { agent, given } = listeningAgent()
  await using server = await startTestServer({ agents: [agent] })
  const model = modelOf(`${server.url}/v1`)
  const instructions = 'Be brief.'
  const messages: ModelMessage[] = [{ role: 'user', content: 'One' }]
  for (const next of ['Two', 'Three']) {
    const { responseMessages } = await generateText({ model, instructions, messages })
    messages.push(...responseMessages, { role: 'user', content: next })
  }
  await generateText({ model, instructions, messages })
  expect(given.at(-1)).toEqual(['One', 'I heard 1.', 'Two', 'I heard 3.', 'Three'])
})
