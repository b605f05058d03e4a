import { approvalIn, decide } from '@throughline/testing/http/approval-requests'
import { ask, loadAnswer, stop } from '@throughline/testing/http/chat-requests'
import { messageWith, picturePart } from '@throughline/testing/http/file-parts'
import { SseBytes } from '@throughline/testing/http/sse-bytes'
import { expect, test } from 'vitest'
import {
  answerOf,
  calling,
  fauxAssistantMessage,
  fauxText,
  fauxThinking,
  fauxToolCall,
  remover,
  scripted,
  serve,
} from './pi/serve.ts'

test('text, a tool call with its result, and text come through, and the usage of both steps', async () => {
  const asks = fauxAssistantMessage(
    [fauxText('Let me look. '), fauxToolCall('weather', { city: 'Lisbon' })],
    {
      stopReason: 'toolUse',
    },
  )
  const { parts, metadata } = await answerOf(scripted([asks, fauxAssistantMessage('It is clear.')]))
  expect(parts).toMatchObject([
    { type: 'step-start' },
    { type: 'text', text: 'Let me look. ' },
    {
      type: 'tool-weather',
      state: 'output-available',
      input: { city: 'Lisbon' },
      output: 'Clear in Lisbon.',
    },
    { type: 'data-step', data: { status: 'completed' } },
    { type: 'step-start' },
    { type: 'text', text: 'It is clear.' },
  ])
  expect(metadata).toMatchObject({ status: 'finished', finishReason: 'stop' })
  const used = metadata?.usage?.byModel?.['test:scripted']
  expect(used?.calls).toBe(2)
  expect(used?.inputTokens).toBeGreaterThan(0)
})

test('reasoning comes through as reasoning, and so do thoughts that a model writes into its text', async () => {
  const says = fauxAssistantMessage([
    fauxThinking('They greet me.'),
    fauxText('<think>Kindly.</think>Hello.'),
  ])
  const { parts } = await answerOf(scripted([says]))
  expect(parts.filter(({ type }) => type !== 'step-start')).toMatchObject([
    { type: 'reasoning', text: 'They greet me.' },
    { type: 'reasoning', text: 'Kindly.' },
    { type: 'text', text: 'Hello.' },
  ])
})

test('what a tool throws, and an input that does not fit, is an error of that call', async () => {
  const calls = [
    fauxToolCall('weather', { city: 'Atlantis' }, { id: 'a' }),
    fauxToolCall('weather', {}, { id: 'b' }),
  ]
  const asks = fauxAssistantMessage(calls, { stopReason: 'toolUse' })
  const { parts, metadata } = await answerOf(scripted([asks, fauxAssistantMessage('Sorry.')]))
  expect(parts.filter(({ type }) => type === 'tool-weather')).toMatchObject([
    { state: 'output-error', errorText: 'There is no such city.' },
    { state: 'output-error', errorText: expect.stringContaining('city') },
  ])
  expect(metadata?.status).toBe('finished')
})

test('the details of a result are shown, and the model reads its text in later answers, too', async () => {
  const prompts: string[] = []
  const steps = [
    calling('remove', { what: 'all' }),
    fauxAssistantMessage('Done.'),
    ({ messages }: { readonly messages: unknown }) => {
      prompts.push(JSON.stringify(messages))
      return fauxAssistantMessage('Yes.')
    },
  ]
  await using server = await serve(scripted(steps, [remover([])]))
  await (await ask(server.url)).text()
  expect((await loadAnswer(server.url)).parts).toContainEqual(
    expect.objectContaining({
      output: { content: [{ type: 'text', text: 'Removed.' }], details: { removed: 'all' } },
    }),
  )
  const message = messageWith([picturePart], 'Is it gone?', 'second')
  await (await ask(server.url, { fields: { messages: [message] } })).text()
  expect((await loadAnswer(server.url)).metadata?.status).toBe('finished')
  const read: unknown = JSON.parse(prompts[0] ?? '')
  expect(read).toMatchObject([
    { role: 'system' },
    { role: 'user' },
    { role: 'assistant', content: [{ type: 'toolCall', name: 'remove', arguments: { what: 'all' } }] },
    { role: 'toolResult', content: [{ type: 'text', text: 'Removed.' }], isError: false },
    { role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
    {
      role: 'user',
      content: [
        { type: 'image', mimeType: 'image/png' },
        { type: 'text', text: 'Is it gone?' },
      ],
    },
  ])
})

test.each([
  [{ approved: true }, 'output-available', ['all']],
  [{ approved: false, reason: 'Not today' }, 'output-denied', []],
])('a call that needs approval waits for a person: %j', async (decision, state, expected) => {
  const removed: string[] = []
  const prompts: string[] = []
  const steps = [
    calling('remove', { what: 'all' }),
    ({ messages }: { readonly messages: unknown }) => {
      prompts.push(JSON.stringify(messages))
      return fauxAssistantMessage('Done.')
    },
  ]
  const needsApproval = ({ toolName }: { readonly toolName: string }) => toolName === 'remove'
  await using server = await serve(scripted(steps, [remover(removed)]), { needsApproval })
  await using stream = new SseBytes(await ask(server.url, { form: '?approvals=wait' }))
  await stream.until('"approvalId":')
  expect(removed).toEqual([])
  await decide(server.url, approvalIn(stream.bytes), decision)
  await stream.rest()
  const { parts, metadata } = await loadAnswer(server.url)
  expect(parts.find(({ type }) => type === 'tool-remove')).toMatchObject({ state })
  expect(metadata?.status).toBe('finished')
  expect(removed).toEqual(expected)
  expect(prompts[0]?.includes('Not today')).toBe('reason' in decision)
})

test('a stop aborts the model call, and what was said is kept', async () => {
  const aborted = Promise.withResolvers<unknown>()
  const steps = [
    fauxAssistantMessage([fauxText('One moment. '), fauxToolCall('weather', { city: 'Oslo' })], {
      stopReason: 'toolUse',
    }),
    (_: unknown, options: { readonly signal?: AbortSignal } | undefined) => {
      options?.signal?.addEventListener('abort', aborted.resolve)
      return aborted.promise.then(() => fauxAssistantMessage('Never.'))
    },
  ]
  await using server = await serve(scripted(steps))
  const reading = ask(server.url).then(response => response.text())
  await expect
    .poll(async () => JSON.stringify((await loadAnswer(server.url)).parts))
    .toContain('Clear in Oslo')
  await stop(server.url)
  await reading
  await aborted.promise
  const { parts, metadata } = await loadAnswer(server.url)
  expect(parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'One moment. ' }))
  expect(metadata?.status).toBe('stopped')
  expect(metadata?.usage?.byModel?.['test:scripted']?.calls).toBe(1)
})

test('an error of the provider is explained as for every agent', async () => {
  const breaks = fauxAssistantMessage([], { stopReason: 'error', errorMessage: '429 {"type":"error"}' })
  const { metadata } = await answerOf(scripted([breaks]))
  expect(metadata).toMatchObject({ status: 'failed', statusText: expect.stringContaining('(429)') })
})

test('after maxSteps model calls the answer ends, and says that a limit was reached', async () => {
  const steps = [calling('weather', { city: 'Oslo' }), fauxAssistantMessage('Never.')]
  const { parts, metadata } = await answerOf(scripted(steps), { maxSteps: 1 })
  expect(metadata?.status).toBe('limit')
  expect(parts).toContainEqual(expect.objectContaining({ output: 'Clear in Oslo.' }))
})

test('an answer that is cut off by the length limit ends as "limit"', async () => {
  const { metadata } = await answerOf(scripted([fauxAssistantMessage('It is', { stopReason: 'length' })]))
  expect(metadata?.status).toBe('limit')
})
