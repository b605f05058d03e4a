import { APICallError } from 'ai'
import { describe, expect, test } from 'vitest'
import { converse, errorsOf, type ModelName, outline } from '../../src/provider/converse.ts'
import { type RecordedResponse, startRecordedProvider } from '../../src/provider/recorded-provider.ts'

// What comes out of `streamText` (without retries) when a provider fails:
// - A status: an `error` part directly after `start`, then nothing; `result.text` and the like reject.
// - A socket that breaks: the stream throws, and nothing is closed: no `error`, `text-end`, `finish-step`, `finish`.
//   If it breaks before any event, openai chat, openai responses and anthropic, which look ahead, give an `error`
//   part instead, as for a status.
// - An event that cannot be read: an `error` part, then `finish` with the reason `error`, and the promises resolve.
//   As the first event of anthropic it is like a status.
// - A body that ends cleanly but early: no error at all, only the finish reason `interrupted`; openai responses and
//   anthropic leave the text open. openai-compatible alone adds an `error` part.
const firstResponses = [
  { model: 'openai chat', name: 'openai-chat.text-tool-text.1', style: 'openai' },
  { model: 'openai-compatible', name: 'openai-chat.text-tool-text.1', style: 'openai' },
  { model: 'openai responses', name: 'openai-responses.text-tool-text.1', style: 'openai' },
  { model: 'anthropic', name: 'anthropic.text-tool-text.1', style: 'anthropic' },
  { model: 'google', name: 'google.text-tool-text.1', style: 'google' },
] as const

describe.each(firstResponses)('$model', ({ model, name, style }) => {
  test.each([429, 500])('turns the status %i into one error part', async status => {
    await using provider = await startRecordedProvider([{ type: 'status', status, body: 'no' }])
    const { result, parts } = await converse(model, provider.url)

    expect(outline(parts)).toEqual(['start', 'error'])
    expect(errorsOf(parts)).toMatchObject([{ statusCode: status, responseBody: 'no' }])
    await expect(result.text).rejects.toThrow('No output generated')
  })

  test.each([1, 6])('does not survive a socket cut after %i events', async afterEvents => {
    await using provider = await startRecordedProvider([{ type: 'cut', name, style, afterEvents }])
    const { result, parts, thrown } = await converse(model, provider.url)

    expect([...errorsOf(parts), ...thrown]).toEqual([expect.any(APICallError)])
    expect(parts.map(part => part.type)).not.toContain('finish')
    await expect(result.text).rejects.toThrow()
  })

  test('fails on a socket cut before any event, as an error part if it looks ahead', async () => {
    await using provider = await startRecordedProvider([{ type: 'cut', name, style, afterEvents: 0 }])
    const { parts, thrown } = await converse(model, provider.url)

    const looksAhead = model !== 'openai-compatible' && model !== 'google'
    expect(outline(parts)).toEqual(looksAhead ? ['start', 'error'] : ['start'])
    expect(thrown).toEqual(looksAhead ? [] : [expect.any(APICallError)])
  })

  // The death comes after the text was read, so the outcome does not depend on how fast either side is.
  test('throws, and closes nothing, when the provider dies in a text', async () => {
    await using provider = await startRecordedProvider([{ type: 'silence', name, style, afterEvents: 6 }])
    const { result, parts, thrown } = await converse(model, provider.url, {
      onText: () => provider[Symbol.asyncDispose](),
    })

    expect(thrown).toEqual([expect.any(APICallError)])
    expect(errorsOf(parts)).toEqual([])
    expect(outline(parts).at(-1)).toMatch(/^text-delta/)
    await expect(result.text).rejects.toThrow(APICallError)
  })

  test('reports a first event that is not JSON', async () => {
    await using provider = await startRecordedProvider([{ type: 'garbage', text: 'data: {"half\n\n' }])
    const { parts, thrown } = await converse(model, provider.url)

    expect(errorsOf(parts)).toHaveLength(1)
    expect(thrown).toEqual([])
    expect(outline(parts)).toEqual(
      model === 'anthropic'
        ? ['start', 'error']
        : ['start', 'start-step', 'error', 'finish-step error', 'finish error'],
    )
  })

  test('reports a later event that is not JSON, and finishes with the reason error', async () => {
    const begun = await readBeginning({ type: 'silence', name, style, afterEvents: 6 })
    await using provider = await startRecordedProvider([
      { type: 'garbage', text: `${begun}data: {"half\n\n` },
    ])
    const { result, parts, thrown } = await converse(model, provider.url)

    expect(errorsOf(parts)).toHaveLength(1)
    expect(thrown).toEqual([])
    expect(outline(parts).at(-1)).toBe('finish error')
    expect(await result.finishReason).toBe('error')
  })

  test('ends without success when the body has no event at all', async () => {
    await using provider = await startRecordedProvider([{ type: 'garbage', text: '<html>hello</html>' }])
    const { parts } = await converse(model, provider.url)

    const outlines: Record<ModelName, readonly string[]> = {
      'openai chat': ['start', 'start-step', 'finish-step interrupted', 'finish interrupted'],
      'openai responses': ['start', 'start-step', 'finish-step interrupted', 'finish interrupted'],
      'openai-compatible': ['start', 'start-step', 'error', 'finish-step error', 'finish error'],
      anthropic: ['start', 'error'],
      google: ['start', 'start-step', 'finish-step interrupted', 'finish interrupted'],
    }
    expect(outline(parts)).toEqual(outlines[model])
  })

  test('tells a body that ends cleanly in a text by the finish reason', async () => {
    const begun = await readBeginning({ type: 'silence', name, style, afterEvents: 6 })
    await using provider = await startRecordedProvider([{ type: 'garbage', text: begun }])
    const { parts, thrown } = await converse(model, provider.url)

    const ends: Record<ModelName, readonly string[]> = {
      'openai chat': ['text-delta 0', 'text-end 0', 'finish-step interrupted', 'finish interrupted'],
      'openai responses': ['text-delta msg_quay_01', 'finish-step interrupted', 'finish interrupted'],
      'openai-compatible': [
        'text-delta txt-0',
        'text-end txt-0',
        'error',
        'finish-step error',
        'finish error',
      ],
      anthropic: ['text-delta 0', 'finish-step interrupted', 'finish interrupted'],
      google: ['text-delta 0', 'text-end 0', 'finish-step interrupted', 'finish interrupted'],
    }
    expect(outline(parts).slice(-ends[model].length)).toEqual(ends[model])
    expect(thrown).toEqual([])
  })

  test('ends a silent stream with abort, and leaves the text open, when stopped', async () => {
    await using provider = await startRecordedProvider([{ type: 'silence', name, style, afterEvents: 6 }])
    const stop = new AbortController()
    const { parts, thrown } = await converse(model, provider.url, {
      onText: () => stop.abort(),
      abortSignal: stop.signal,
    })

    expect(thrown).toEqual([])
    expect(outline(parts).at(-1)).toBe('abort')
    expect(parts.filter(part => part.type === 'text-end' || part.type === 'finish')).toEqual([])
  })
})

test('a 429 with retry-after-ms is asked again, and the next response answers', async () => {
  await using provider = await startRecordedProvider([
    { type: 'status', status: 429, body: { error: 'Slower' }, headers: { 'retry-after-ms': '1' } },
    { type: 'recording', name: 'anthropic.thinking.1', style: 'anthropic' },
  ])
  const { result } = await converse('anthropic', provider.url, { maxRetries: 1 })

  expect(await result.text).toBe('The answer is 42.')
  expect(provider.requests[1]).toEqual(provider.requests[0])
})

/** The events before the silence, as they stand on the wire. */
async function readBeginning(silence: Extract<RecordedResponse, { type: 'silence' }>): Promise<string> {
  await using provider = await startRecordedProvider([silence])
  const { body } = await fetch(provider.url, { method: 'POST', body: '{}' })
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of body ?? []) {
    text += decoder.decode(piece, { stream: true })
    if (text.split('\n\n').length > silence.afterEvents) break
  }
  return text
}
