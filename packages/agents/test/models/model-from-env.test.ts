import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { type LanguageModel, streamText } from 'ai'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { modelFromEnv } from '../../src/model-from-env.ts'
import { ModelSettingError } from '../../src/models/provider-models.ts'

const key = 'sk-secret-0123456789'

test.each([{}, { THROUGHLINE_MODEL: '' }, { THROUGHLINE_MODEL: ' demo ' }])('%o is the demo model', env => {
  const choice = modelFromEnv(env)
  expect(choice.name).toBe('demo')
  expect(identity(choice.model)).toBe('throughline.demo demo')
})

test.each([
  ['openai:gpt-5', 'OPENAI', 'openai.responses gpt-5', '/responses'],
  ['openai-chat:gpt-5', 'OPENAI', 'openai.chat gpt-5', '/chat/completions'],
  ['anthropic:claude-x', 'ANTHROPIC', 'anthropic.messages claude-x', '/messages'],
  [
    'google:gemini-x',
    'GOOGLE_GENERATIVE_AI',
    'google.generative-ai gemini-x',
    '/models/gemini-x:streamGenerateContent?alt=sse',
  ],
  [
    'openai-compatible:llama3.2:3b',
    'OPENAI_COMPATIBLE',
    'openai-compatible.chat llama3.2:3b',
    '/chat/completions',
  ],
])('%s calls the address in %s_BASE_URL with the key', async (name, prefix, expected, path) => {
  await using server = await recordingServer()
  const { name: chosen, model } = modelFromEnv({
    THROUGHLINE_MODEL: name,
    [`${prefix}_API_KEY`]: ` ${key}\n`,
    [`${prefix}_BASE_URL`]: `${server.url}/base/`,
  })
  expect(chosen).toBe(name)
  expect(identity(model)).toBe(expected)
  await streamText({ model, prompt: 'Hi', maxRetries: 0, onError: () => {} }).consumeStream()
  expect(server.requests).toHaveLength(1)
  expect(server.requests[0]?.url).toBe(`/base${path}`)
  expect(server.requests[0]?.headers).toContain(key)
})

test('an openai-compatible server is asked for usage in the stream, and needs no key', async () => {
  await using server = await recordingServer()
  const { model } = modelFromEnv({
    THROUGHLINE_MODEL: 'openai-compatible:llama',
    OPENAI_COMPATIBLE_BASE_URL: server.url,
  })
  await streamText({ model, prompt: 'Hi', maxRetries: 0, onError: () => {} }).consumeStream()
  const body = z.looseObject({}).parse(JSON.parse(server.requests[0]?.body ?? ''))
  expect(body).toMatchObject({ model: 'llama', stream: true, stream_options: { include_usage: true } })
  expect(server.requests[0]?.headers).not.toContain('authorization')
})

test.each([
  [{ THROUGHLINE_MODEL: 'openai:gpt-5' }, 'key-missing', 'OPENAI_API_KEY'],
  [{ THROUGHLINE_MODEL: 'openai-chat:gpt-5', OPENAI_API_KEY: '  ' }, 'key-missing', 'OPENAI_API_KEY'],
  [{ THROUGHLINE_MODEL: 'anthropic:x' }, 'key-missing', 'ANTHROPIC_API_KEY'],
  [{ THROUGHLINE_MODEL: 'google:x' }, 'key-missing', 'GOOGLE_GENERATIVE_AI_API_KEY'],
  [{ THROUGHLINE_MODEL: 'openai-compatible:x' }, 'base-url-missing', 'OPENAI_COMPATIBLE_BASE_URL'],
  [{ THROUGHLINE_MODEL: 'openai' }, 'model-id-missing', 'THROUGHLINE_MODEL'],
  [{ THROUGHLINE_MODEL: 'openai: ' }, 'model-id-missing', 'THROUGHLINE_MODEL'],
  [{ THROUGHLINE_MODEL: 'mistral:x' }, 'provider-unknown', 'THROUGHLINE_MODEL'],
  [{ THROUGHLINE_MODEL: 'demo:x' }, 'provider-unknown', 'THROUGHLINE_MODEL'],
  [{ THROUGHLINE_MODEL: 'toString:x' }, 'provider-unknown', 'THROUGHLINE_MODEL'],
])('%o throws %s about %s', (env, code, setting) => {
  const error = errorOf(env)
  expect(error).toMatchObject({ code, setting, name: 'ModelSettingError' })
  expect(error.message).toContain(setting)
})

test.each([
  '127.0.0.1:11434',
  'not a url',
  'ftp://host/v1',
  'file:///v1',
  'https://me:pass@host/v1',
  'http://h/v1?a=1',
])('the base URL "%s" is refused without repeating it', url => {
  const error = errorOf({ THROUGHLINE_MODEL: 'openai:x', OPENAI_API_KEY: key, OPENAI_BASE_URL: url })
  expect(error).toMatchObject({ code: 'base-url-malformed', setting: 'OPENAI_BASE_URL' })
  expect(error.message).not.toContain(url)
})

test('the missing address of a compatible server comes with the one of Ollama', () => {
  expect(errorOf({ THROUGHLINE_MODEL: 'openai-compatible:x' }).message).toContain('http://127.0.0.1:11434/v1')
})

test.each([
  { THROUGHLINE_MODEL: key },
  { THROUGHLINE_MODEL: `${key}:x` },
  { THROUGHLINE_MODEL: 'openai:x', OPENAI_API_KEY: `${key}\n${key}` },
  { THROUGHLINE_MODEL: 'openai:x', OPENAI_API_KEY: `“${key}”` },
  { THROUGHLINE_MODEL: 'openai:x', OPENAI_API_KEY: key, OPENAI_BASE_URL: key },
])('a key in the wrong place or shape is never printed', env => {
  const error = errorOf(env)
  expect(`${error.message} ${JSON.stringify(error)} ${error.stack}`).not.toContain(key)
})

function errorOf(env: Readonly<Record<string, string>>): ModelSettingError {
  try {
    modelFromEnv(env)
  } catch (error) {
    if (error instanceof ModelSettingError) return error
    throw error
  }
  throw new Error('modelFromEnv accepted what it should refuse.')
}

function identity(model: LanguageModel): string {
  return typeof model === 'string' ? model : `${model.provider} ${model.modelId}`
}

async function recordingServer() {
  const requests: { readonly url: string; readonly headers: string; readonly body: string }[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request)
    requests.push({ url: request.url ?? '', headers: JSON.stringify(request.headers), body })
    response.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"recorded"}}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The server has no port.')
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
