import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { streamTextEvents } from '@throughline/testing/agent/stream-text-events'
import { type ToolSet, tool } from 'ai'
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { AgentEvent } from '../../../src/agent/agent-event.ts'
import { modelAgent } from '../../../src/ai-sdk/model-agent.ts'

type Part = LanguageModelV4StreamPart

/** One part of a model's stream. With `waits`, it comes in a later turn of the event loop than the part before. */
interface Beat {
  readonly part: Part
  readonly waits: boolean
}

test('whatever the model sends, the events are those of streamText, and so is what the model and the tools are told', async () => {
  await fc.assert(
    fc.asyncProperty(modelStream, async beats => {
      expect(await played(beats, ours)).toEqual(await played(beats, streamTextAlone))
    }),
    { numRuns: 150 },
  )
})

// Few ids, so that parts with the same id follow each other, and sometimes overlap.
const id = fc.constantFrom('0', '1')
const deltaText = fc.constantFrom('', 'Hello', ' there.', ' 你好', '\n', '<think>', 'hm', '</think>')
const metadata = fc.option(fc.constantFrom({ maker: { a: 1 } }, { maker: { b: 2 } }), {
  nil: undefined,
  freq: 3,
})

function optional(providerMetadata: { maker: Record<string, number> } | undefined) {
  return providerMetadata === undefined ? {} : { providerMetadata }
}

/** A text or some reasoning: its start, deltas, and perhaps its end. */
const textStrand = fc
  .record({
    kind: fc.constantFrom('text' as const, 'reasoning' as const),
    id,
    deltas: fc.array(fc.tuple(deltaText, metadata), { maxLength: 6 }),
    last: metadata,
    ends: fc.boolean(),
  })
  .map(({ kind, id, deltas, last, ends }): Part[] => [
    { type: `${kind}-start`, id },
    ...deltas.map(
      ([delta, providerMetadata]): Part => ({
        type: `${kind}-delta`,
        id,
        delta,
        ...optional(providerMetadata),
      }),
    ),
    ...(ends ? [{ type: `${kind}-end` as const, id, ...optional(last) }] : []),
  ])

/** A tool call with the deltas of its input: a known tool, one that listens to deltas, an unknown one, a wrong input. */
const callStrand = fc
  .record({
    toolName: fc.constantFrom('echo', 'listener', 'nobody'),
    input: fc.constantFrom('{"q":"sun"}', '{"q":1}', '{"q'),
    size: fc.integer({ min: 1, max: 5 }),
    number: fc.nat(1_000_000),
  })
  .map(({ toolName, input, size, number }): Part[] => {
    const toolCallId = `call-${number}`
    const pieces = input.match(new RegExp(`.{1,${size}}`, 'g')) ?? []
    return [
      { type: 'tool-input-start', id: toolCallId, toolName },
      ...pieces.map((delta): Part => ({ type: 'tool-input-delta', id: toolCallId, delta })),
      { type: 'tool-input-end', id: toolCallId },
      { type: 'tool-call', toolCallId, toolName, input },
    ]
  })

const otherStrand: fc.Arbitrary<Part[]> = fc.constantFrom<Part[]>(
  [{ type: 'source', sourceType: 'url', id: 's', url: 'https://example.com/' }],
  [{ type: 'file', mediaType: 'text/plain', data: { type: 'data', data: 'aGk=' } }],
  [{ type: 'text-delta', id: 'never-started', delta: 'lost' }],
  [{ type: 'reasoning-delta', id: 'never-started', delta: 'lost' }],
  [{ type: 'tool-input-delta', id: 'never-started', delta: '{' }],
  [{ type: 'error', error: 'overloaded' }],
  [{ type: 'response-metadata', modelId: 'other-model' }],
  [{ type: 'ping' }],
)

const modelStream: fc.Arbitrary<readonly Beat[]> = fc
  .record({
    strands: fc.array(fc.oneof({ weight: 4, arbitrary: textStrand }, callStrand, otherStrand), {
      maxLength: 6,
    }),
    picks: fc.infiniteStream(fc.nat(100)),
    waits: fc.infiniteStream(fc.boolean()),
    finishes: fc.oneof({ weight: 5, arbitrary: fc.constant(true) }, fc.constant(false)),
  })
  .map(({ strands, picks, waits, finishes }) => {
    const parts = interleaved(strands, picks)
    const unified = parts.some(({ type }) => type === 'tool-call') ? 'tool-calls' : 'stop'
    const all: Part[] = [
      { type: 'stream-start', warnings: [] },
      ...parts,
      ...(finishes ? [finish(unified)] : []),
    ]
    return all.map(part => ({ part, waits: waits.next().value === true }))
  })

/** Mixes the strands. The parts of each strand keep their order. */
function interleaved(strands: readonly (readonly Part[])[], picks: Iterator<number>): Part[] {
  const rest = strands.map(strand => [...strand])
  const parts: Part[] = []
  for (;;) {
    const open = rest.filter(strand => strand.length > 0)
    const part = open[Number(picks.next().value) % open.length]?.shift()
    if (part === undefined) return parts
    parts.push(part)
  }
}

function finish(unified: 'stop' | 'tool-calls'): Part {
  return {
    type: 'finish',
    finishReason: { unified, raw: unified },
    usage: {
      inputTokens: { total: 10, noCache: 6, cacheRead: 4, cacheWrite: 0 },
      outputTokens: { total: 5, text: 5, reasoning: 0 },
    },
  }
}

type Run = (model: MockLanguageModelV4, tools: ToolSet) => AsyncIterable<AgentEvent>

const request = {
  messages: [{ id: 'question', role: 'user' as const, parts: [{ type: 'text' as const, text: 'Hi.' }] }],
  signal: new AbortController().signal,
}
const ours: Run = (model, tools) => modelAgent({ name: 'test', model, tools }).run(request)
const streamTextAlone: Run = (model, tools) => streamTextEvents({ model, tools }, request)

/** Plays the beats as the first step. A second step says one sentence. */
async function played(beats: readonly Beat[], run: Run) {
  const secondStep: Part[] = [
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'Done.' },
    { type: 'text-end', id: '0' },
    finish('stop'),
  ]
  let step = 0
  const model = new MockLanguageModelV4({
    doStream: async () => {
      step += 1
      return { stream: step === 1 ? streamOf(beats) : convertArrayToReadableStream(secondStep) }
    },
  })
  const heard: string[] = []
  const inputSchema = z.object({ q: z.string() })
  const tools = {
    echo: tool({ inputSchema, execute: async ({ q }) => `You asked: ${q}` }),
    listener: tool({
      inputSchema,
      onInputDelta: ({ inputTextDelta }) => void heard.push(inputTextDelta),
      execute: async () => 'I have heard you.',
    }),
  }
  const events = await Array.fromAsync(run(model, tools))
  return { events, heard, prompts: model.doStreamCalls.map(({ prompt }) => prompt) }
}

function streamOf(beats: readonly Beat[]): ReadableStream<Part> {
  const rest = beats.values()
  return new ReadableStream<Part>({
    async pull(controller) {
      const next = rest.next()
      if (next.done === true) return controller.close()
      if (next.value.waits) await new Promise(resolve => setImmediate(resolve))
      controller.enqueue(next.value.part)
    },
  })
}
