import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { MockLanguageModelV4 } from 'ai/test'
import { afterEach, expect, test, vi } from 'vitest'
import type { AgentEvent } from '../../../src/agent/agent-event.ts'
import { modelAgent } from '../../../src/ai-sdk/model-agent.ts'

afterEach(() => {
  vi.useRealTimers()
})

type Part = LanguageModelV4StreamPart

test('a model that goes on sending deltas is not taken for silent', async () => {
  vi.useFakeTimers()
  const model = modelOf(async (controller, index) => {
    await new Promise(resolve => setTimeout(resolve, 300))
    controller.enqueue(textDelta(index))
    if (index === 20) end(controller)
  })
  const events = Array.fromAsync(run(model, { maxSilenceMs: 1_000 }))
  await vi.advanceTimersByTimeAsync(10_000)
  expect((await events).at(-1)).toEqual({ type: 'finish', finishReason: 'stop' })
})

test('a model that sends nothing more after some deltas is left, soon after the longest silence', async () => {
  vi.useFakeTimers()
  let isCancelled = false
  const model = modelOf(
    async (controller, index) => {
      if (index > 5) return new Promise(() => undefined)
      controller.enqueue(textDelta(index))
    },
    () => {
      isCancelled = true
    },
  )
  const seen: AgentEvent[] = []
  const reading = collect(run(model, { maxSilenceMs: 1_000 }), seen)
  await vi.advanceTimersByTimeAsync(999)
  expect(seen.at(-1)).toMatchObject({ type: 'text-delta' })
  await vi.advanceTimersByTimeAsync(60)
  await reading
  expect(seen.at(-1)).toMatchObject({ type: 'error', error: { name: 'TimeoutError' } })
  expect(isCancelled).toBe(true)
})

test('a reader that leaves ends the stream of the model', async () => {
  const cancelled = Promise.withResolvers<void>()
  const model = modelOf(async (controller, index) => controller.enqueue(textDelta(index)), cancelled.resolve)
  let count = 0
  for await (const { type } of run(model)) {
    if (type === 'text-delta') count += 1
    if (count === 50) break
  }
  await cancelled.promise
})

test('a slow reader holds the model back', async () => {
  let sent = 0
  const model = modelOf(async (controller, index) => {
    sent = index
    controller.enqueue(textDelta(index))
  })
  const events = run(model)[Symbol.asyncIterator]()
  for (let count = 0; count < 100; count += 1) await events.next()
  // Everything that does not wait for the reader has happened after these turns.
  for (let turn = 0; turn < 100; turn += 1) await new Promise(resolve => setImmediate(resolve))
  expect(sent).toBeLessThan(150)
  await events.return?.()
})

test('what the model said before its stream breaks comes before the error', async () => {
  const model = modelOf(async (controller, index) => {
    if (index > 30) throw new Error('The line is cut.')
    controller.enqueue(textDelta(index))
  })
  const seen: AgentEvent[] = []
  await expect(collect(run(model), seen)).rejects.toThrow('The line is cut.')
  expect(textIn(seen)).toBe(Array.from({ length: 30 }, (_, index) => wordOf(index + 1)).join(''))
})

type Controller = ReadableStreamDefaultController<Part>

/** Makes a model that opens a text and then calls `send` with 1, 2, 3 and so on. */
function modelOf(
  send: (controller: Controller, index: number) => Promise<void>,
  cancel?: () => void,
): MockLanguageModelV4 {
  let index = 0
  return new MockLanguageModelV4({
    doStream: async () => ({
      stream: new ReadableStream<Part>({
        start: controller => controller.enqueue({ type: 'text-start', id: '0' }),
        pull(controller) {
          index += 1
          return send(controller, index)
        },
        ...(cancel && { cancel }),
      }),
    }),
  })
}

function run(model: MockLanguageModelV4, options: { readonly maxSilenceMs?: number } = {}) {
  return modelAgent({ name: 'test', model, ...options }).run({
    messages: [{ id: 'question', role: 'user', parts: [{ type: 'text', text: 'Hi.' }] }],
    signal: new AbortController().signal,
  })
}

async function collect(events: AsyncIterable<AgentEvent>, seen: AgentEvent[]): Promise<void> {
  for await (const event of events) seen.push(event)
}

function wordOf(index: number): string {
  return `word ${index}, `
}

function textDelta(index: number): Part {
  return { type: 'text-delta', id: '0', delta: wordOf(index) }
}

function textIn(events: readonly AgentEvent[]): string {
  return events.map(event => (event.type === 'text-delta' ? event.text : '')).join('')
}

function end(controller: Controller): void {
  controller.enqueue({ type: 'text-end', id: '0' })
  controller.enqueue({
    type: 'finish',
    finishReason: { unified: 'stop', raw: 'stop' },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    },
  })
  controller.close()
}
