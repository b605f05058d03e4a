import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider'
import { abortableStream } from './abortable-stream.ts'
import { countWords } from './demo-words.ts'
import { playActions } from './play-actions.ts'
import { cutCallOf, promptText, readScene } from './read-scene.ts'
import { actionsFor } from './scenarios.ts'
import { actionsAfter } from './script.ts'
import { type SeededRandom, seededRandom, seedFrom } from './seeded-random.ts'

/** The options of `createDemoModel`. All of them may be left out. */
export type DemoModelOptions = {
  /** Another seed gives other random choices. Default: 1. */
  readonly seed?: number
  /** How fast it writes; `Infinity` for as fast as it is read. Default: 40. */
  readonly wordsPerSecond?: number
  /** Waits for `ms` milliseconds. May reject when the signal aborts. */
  readonly wait?: (ms: number, signal?: AbortSignal) => Promise<void>
}

/**
 * Makes a scripted model that needs no key and no network, and says so. It behaves like a provider: it streams slowly, calls
 * tools, uses their results, fails when a question asks for that, goes on with an answer that was cut off, and obeys the
 * abort signal. The same prompt always gives
 * the same stream. Throws a `RangeError` when `wordsPerSecond` is not above 0.
 */
export function createDemoModel(options: DemoModelOptions = {}): LanguageModelV4 {
  const { seed = 1, wordsPerSecond = 40, wait = waitFor } = options
  if (!(wordsPerSecond > 0)) throw new RangeError(`wordsPerSecond is ${wordsPerSecond}: it must be above 0.`)

  const stream = (call: LanguageModelV4CallOptions) => {
    // As with a request that is not sent, the call fails and not the stream.
    call.abortSignal?.throwIfAborted()
    const { call: whole, said } = cutCallOf(call)
    const text = promptText(whole.prompt)
    const random = seededRandom(seedFrom(call.seed ?? seed, text))
    const actions = actionsAfter(actionsFor(readScene(whole, random)), said)
    const inputWords = countWords(text)
    return abortableStream(signal => {
      const pace = pacer({ wordsPerSecond, random, wait: ms => wait(ms, signal) })
      return playActions(actions, { random, inputWords, pace })
    }, call.abortSignal)
  }

  return {
    specificationVersion: 'v4',
    provider: 'throughline.demo',
    modelId: 'demo',
    // The SDK downloads files whose addresses a model does not support. This one reads no files, so all are supported.
    supportedUrls: { '*/*': [/^/] },
    doStream: async call => ({ stream: stream(call) }),
    doGenerate: async call => collectStream(stream(call)),
  }
}

/** Waits before each piece, for a random time. Waits that are too short for a timer are added up first. */
function pacer(options: {
  readonly wordsPerSecond: number
  readonly random: SeededRandom
  readonly wait: (ms: number) => Promise<void>
}): (words: number) => Promise<void> {
  const shortestWaitMs = 4
  let owedMs = 0
  return async words => {
    owedMs += (words * 1000 * (0.5 + options.random.next())) / options.wordsPerSecond
    if (owedMs < shortestWaitMs) return
    const waitMs = owedMs
    owedMs = 0
    await options.wait(waitMs)
  }
}

function waitFor(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const onAbort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', onAbort, { once: true })
  })
}

/** Reads a model's stream to its end, and returns what a call without streaming would return. */
async function collectStream(
  stream: ReadableStream<LanguageModelV4StreamPart>,
): Promise<LanguageModelV4GenerateResult> {
  const content: LanguageModelV4Content[] = []
  // The deltas of a part are joined once, at its end. The part keeps the index at which it started.
  const open = new Map<string, { readonly index: number; readonly deltas: string[] }>()
  for await (const part of stream) {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
        open.set(part.id, { index: content.length, deltas: [] })
        content.push({ type: part.type === 'text-start' ? 'text' : 'reasoning', text: '' })
        break
      case 'text-delta':
      case 'reasoning-delta':
        open.get(part.id)?.deltas.push(part.delta)
        break
      case 'text-end':
      case 'reasoning-end': {
        const ended = open.get(part.id)
        if (ended === undefined) break
        const type = part.type === 'text-end' ? 'text' : 'reasoning'
        content[ended.index] = { type, text: ended.deltas.join('') }
        break
      }
      case 'tool-call':
      case 'source':
        content.push(part)
        break
      case 'error':
        throw part.error
      case 'finish':
        return { content, finishReason: part.finishReason, usage: part.usage, warnings: [] }
    }
  }
  throw new Error('The model stream ended without a finish part. A provider must always send one.')
}
