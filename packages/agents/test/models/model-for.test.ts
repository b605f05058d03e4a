import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { generateText } from 'ai'
import { expect, test } from 'vitest'
import { modelName } from '../../src/ai-sdk/model-name.ts'
import { modelFor } from '../../src/models/model-from-env.ts'

const env = { OPENAI_API_KEY: 'sk-secret-0123456789' }

test('a model of a provider that is set up is there, under its own name', () => {
  expect(nameOf({ provider: 'openai', modelId: 'gpt-5' })).toBe('openai:gpt-5')
  expect(nameOf({ provider: 'openai', modelId: 'gpt-5', params: { temperature: 0.5 } })).toBe('openai:gpt-5')
  expect(nameOf({ provider: 'demo', modelId: 'demo' })).toBe('throughline:demo')
})

test.each([
  ['a provider without a key', { provider: 'anthropic', modelId: 'claude' }],
  ['a provider without an address', { provider: 'openai-compatible', modelId: 'llama' }],
  ['an unknown provider', { provider: 'acme', modelId: 'x1' }],
  ['a provider called like a method', { provider: 'constructor', modelId: 'x1' }],
])('of %s there is none', (_, spec) => {
  expect(modelFor(spec, env)).toBeUndefined()
})

test('its settings go out with each request', async () => {
  const bodies: unknown[] = []
  const server = createServer(async (request, response) => {
    bodies.push(JSON.parse(await text(request)))
    response.writeHead(500).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const model = modelFor(
    { provider: 'openai-compatible', modelId: 'llama', params: { temperature: 0.25, maxOutputTokens: 77 } },
    { OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${port}/v1` },
  )
  if (model === undefined) throw new Error('There is no model.')
  await expect(generateText({ model, prompt: 'Hi', maxRetries: 0 })).rejects.toThrow()
  server.close()
  expect(bodies).toMatchObject([{ model: 'llama', temperature: 0.25, max_tokens: 77 }])
})

function nameOf(spec: Parameters<typeof modelFor>[0]): string | undefined {
  const model = modelFor(spec, env)
  return model && modelName(model)
}
