import { readdir } from 'node:fs/promises'
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import {
  type RecordedProvider,
  type RecordedResponse,
  startRecordedProvider,
} from '@throughline/testing/provider/recorded-provider'
import { waitLimitMs } from '@throughline/testing/waits/wait-limit'
import { APICallError } from 'ai'
import { expect, test, vi } from 'vitest'
import { httpProviders, type NamedModel } from '../../../src/models/provider-models.ts'
import { ModelThread } from '../../../src/models/thread/model-thread.ts'

const styles = {
  'openai-chat': { style: 'openai', provider: 'openai-chat' },
  'openai-responses': { style: 'openai', provider: 'openai' },
  anthropic: { style: 'anthropic', provider: 'anthropic' },
  google: { style: 'google', provider: 'google' },
} as const

const folder = new URL('../../../../testing/src/provider/recordings/', import.meta.url)
const recordings = (await readdir(folder)).toSorted().map(file => {
  const found = Object.entries(styles).find(([name]) => file.startsWith(`${name}.`))
  if (found === undefined) throw new Error(`Say above which provider has sent ${file}.`)
  return { name: file.replace('.jsonl', ''), ...found[1] }
})

test.each(recordings)(
  'the parts of $name are those of the model itself',
  async ({ name, style, provider }) => {
    const recording: RecordedResponse = { type: 'recording', name, style, chunkBytes: 50 }
    await using played = await startRecordedProvider([recording, recording])
    const { model, threaded, thread } = modelsAt(played.url, provider)
    await using _ = thread
    const parts = await partsOf(threaded, question)
    expect(parts.length).toBeGreaterThan(3)
    expect(withoutIds(parts)).toEqual(withoutIds(await partsOf(model, question)))
    expect(played.requests[0]).toEqual(played.requests[1])
  },
)

test('what is asked arrives as it was asked: bytes, addresses of files, tools', async () => {
  const recording: RecordedResponse = {
    type: 'recording',
    name: 'openai-chat.text-tool-text.2',
    style: 'openai',
  }
  await using played = await startRecordedProvider([recording, recording])
  const { model, threaded, thread } = modelsAt(played.url, 'openai-chat')
  await using _ = thread
  const bytes = new Uint8Array([0x89, 0x50, 0x4e, 0x47])
  const options: LanguageModelV4CallOptions = {
    prompt: [
      {
        role: 'user',
        content: [
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: bytes } },
          {
            type: 'file',
            mediaType: 'image/png',
            data: { type: 'url', url: new URL('https://example.com/a.png') },
          },
        ],
      },
    ],
    tools: [{ type: 'function', name: 'weather', inputSchema: { type: 'object', properties: {} } }],
    temperature: 0.25,
  }
  await partsOf(threaded, options)
  await partsOf(model, options)
  expect(JSON.stringify(played.requests[0])).toContain('https://example.com/a.png')
  expect(played.requests[0]).toEqual(played.requests[1])
})

test('an error of the provider is one of the AI SDK, with all that it says', async () => {
  const refused: RecordedResponse = {
    ...{ type: 'status', status: 429, body: { error: { message: 'Too many requests.' } } },
    headers: { 'retry-after': '3' },
  }
  await using played = await startRecordedProvider([refused, refused])
  const { model, threaded, thread } = modelsAt(played.url, 'openai-chat')
  await using _ = thread
  const error = await errorOf(threaded)
  expect(APICallError.isInstance(error)).toBe(true)
  expect(error).toMatchObject({ statusCode: 429, isRetryable: true, message: 'Too many requests.' })
  expect(facts(error)).toEqual(facts(await errorOf(model)))
})

test('an address where nobody listens is the same error as without the thread', async () => {
  const played = await startRecordedProvider([])
  await played[Symbol.asyncDispose]()
  const { model, threaded, thread } = modelsAt(played.url, 'openai-chat')
  await using _ = thread
  const error = await errorOf(threaded)
  expect(APICallError.isInstance(error)).toBe(true)
  expect(facts(error)).toEqual(facts(await errorOf(model)))
})

test('a connection that breaks in the middle of an answer fails its stream', async () => {
  await using played = await startRecordedProvider([
    { type: 'cut', name: 'openai-chat.text-tool-text.2', style: 'openai', afterEvents: 3 },
  ])
  const { threaded, thread } = modelsAt(played.url, 'openai-chat')
  await using _ = thread
  await expect(partsOf(threaded, question)).rejects.toThrow()
})

test('an abort fails the stream at once with its reason, and hangs up', async () => {
  await using played = await startRecordedProvider([silence])
  const { threaded, thread } = modelsAt(played.url, 'openai-chat')
  await using _ = thread
  const abort = new AbortController()
  const { stream } = await threaded.doStream({ ...question, abortSignal: abort.signal })
  const reader = stream.getReader()
  await reader.read()
  const reason = new Error('the person has stopped it')
  abort.abort(reason)
  await expect(readAll(reader)).rejects.toBe(reason)
  await untilHungUp(played)
})

test('a reader that leaves hangs up', async () => {
  await using played = await startRecordedProvider([silence])
  const { threaded, thread } = modelsAt(played.url, 'openai-chat')
  await using _ = thread
  const { stream } = await threaded.doStream(question)
  const reader = stream.getReader()
  await reader.read()
  await reader.cancel()
  await untilHungUp(played)
})

test('a model that is asked with an aborted signal is not asked', async () => {
  await using played = await startRecordedProvider([])
  const { threaded, thread } = modelsAt(played.url, 'openai-chat')
  await using _ = thread
  const reason = new Error('too late')
  const asked = threaded.doStream({ ...question, abortSignal: AbortSignal.abort(reason) })
  await expect(asked).rejects.toBe(reason)
  expect(played.requests).toEqual([])
})

test('options that cannot be sent to a thread are answered without it', async () => {
  await using played = await startRecordedProvider([
    { type: 'recording', name: 'openai-chat.text-tool-text.2', style: 'openai' },
  ])
  const { threaded, thread } = modelsAt(played.url, 'openai-chat')
  await using _ = thread
  // Values that come from outside are not checked, so a schema may have what JSON has not.
  const inputSchema = { type: 'object', title: 'A' } as const
  Object.assign(inputSchema, { default: Symbol('not JSON') })
  const parts = await partsOf(threaded, {
    ...question,
    tools: [{ type: 'function', name: 'a', inputSchema }],
  })
  expect(parts.at(-1)?.type).toBe('finish')
})

test('when the thread ends, answers break off with a reason, and the next one has a new thread', async () => {
  await using played = await startRecordedProvider([
    silence,
    { type: 'recording', name: 'openai-chat.text-tool-text.2', style: 'openai' },
  ])
  const { threaded, thread } = modelsAt(played.url, 'openai-chat')
  const { stream } = await threaded.doStream(question)
  const reader = stream.getReader()
  await reader.read()
  await thread[Symbol.asyncDispose]()
  await expect(readAll(reader)).rejects.toThrow('The thread that reads from the models has ended.')
  expect((await partsOf(threaded, question)).at(-1)?.type).toBe('finish')
  await thread[Symbol.asyncDispose]()
})

const silence: RecordedResponse = {
  ...{ type: 'silence', name: 'openai-chat.text-tool-text.2', style: 'openai', afterEvents: 3 },
}

const question: LanguageModelV4CallOptions = {
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'How is the weather?' }] }],
}

/** Returns a model of the provider at this address, and the same model with a thread. */
function modelsAt(url: string, provider: string) {
  const key = 'sk-not-a-key'
  const env = {
    ...{ OPENAI_API_KEY: key, ANTHROPIC_API_KEY: key, GOOGLE_GENERATIVE_AI_API_KEY: key },
    ...{ OPENAI_BASE_URL: url, ANTHROPIC_BASE_URL: url, GOOGLE_GENERATIVE_AI_BASE_URL: url },
  }
  const address: NamedModel = { provider, modelId: 'recorded' }
  const model = httpProviders.get(provider)?.(address.modelId, env)
  if (model === undefined) throw new Error(`There is no provider ${provider}.`)
  const thread = new ModelThread(env)
  return { model, thread, threaded: thread.wrap(model, address) }
}

async function partsOf(model: LanguageModelV4, options: LanguageModelV4CallOptions) {
  const { stream } = await model.doStream(options)
  return readAll(stream.getReader())
}

async function readAll(reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>) {
  const parts: LanguageModelV4StreamPart[] = []
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return parts
    parts.push(value)
  }
}

async function untilHungUp(provider: RecordedProvider): Promise<void> {
  await vi.waitFor(async () => expect(await provider.connections()).toBe(0), { timeout: waitLimitMs() })
}

async function errorOf(model: LanguageModelV4): Promise<unknown> {
  return model.doStream(question).then(
    () => undefined,
    error => error,
  )
}

/** Returns everything an error says but where it was thrown, and when. */
function facts(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { responseHeaders, ...fields } = { responseHeaders: {}, ...error }
  const { date: _, ...headers } = { date: '', ...responseHeaders }
  return { ...fields, headers, name: error.name, message: error.message, cause: facts(error.cause) }
}

/** Ids that the AI SDK makes up are numbered. */
function withoutIds(parts: readonly LanguageModelV4StreamPart[]): unknown {
  const ids = new Set(parts.flatMap(part => ('toolCallId' in part ? [part.toolCallId] : [])))
  const json = JSON.stringify(parts)
  return JSON.parse([...ids].reduce((text, id, index) => text.replaceAll(id, `call-${index}`), json))
}
