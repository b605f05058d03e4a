import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { generateText } from 'ai'
import { expect, test } from 'vitest'
import { modelName } from '../../src/ai-sdk/ai-sdk-events.ts'
import { modelNamed, modelWithParams } from '../../src/model-from-env.ts'

test('the parameters go out with each request, and the model keeps its name', async () => {
  const bodies: unknown[] = []
  const server = createServer(async (request, response) => {
    bodies.push(JSON.parse(await text(request)))
    response.writeHead(500).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const env = { OPENAI_COMPATIBLE_BASE_URL: `http://127.0.0.1:${port}/v1` }
  const llama = modelNamed('openai-compatible:llama', { env, setting: 'THROUGHLINE_MODEL' }).model
  const model = modelWithParams(llama, { temperature: 0.25, maxOutputTokens: 77 })
  expect(modelName(model)).toBe('openai-compatible:llama')
  await expect(generateText({ model, prompt: 'Hi', maxRetries: 0 })).rejects.toThrow()
  server.close()
  expect(bodies).toMatchObject([{ model: 'llama', temperature: 0.25, max_tokens: 77 }])
})

test("the name of a model of the AI SDK's default provider is looked up there", () => {
  expect(modelName(modelWithParams('acme/small', { temperature: 0 }))).toBe('gateway:acme/small')
})
