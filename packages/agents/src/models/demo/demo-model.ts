import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { abortableStream } from '../abortable-stream.ts'
import { collectStream } from './collect-stream.ts'
import { promptText, readScene } from './demo-prompt.ts'
import { beatsFor } from './demo-scenarios.ts'
import { countWords } from './demo-words.ts'
import { playBeats } from './play-beats.ts'
import { type SeededRandom, seededRandom, seedFrom } from './seeded-random.ts'

export type DemoModelOptions = {
  readonly seed?: number
  /** How fast it writes; `Infinity` for as fast as it is read. */
  readonly wordsPerSecond?: number
  /** Resolves after `ms`; may reject as soon as the signal aborts. */
  readonly wait?: (ms: number, signal?: AbortSignal) => Promise<void>
}

/**
 * A scripted model that needs no key and no network, and says so. It behaves like a provider: it streams at a human
 * pace, calls tools, uses their results, breaks off when asked to, and obeys the abort signal. The same prompt gives
 * the same stream.
 */
export function createDemoModel(options: DemoModelOptions = {}): LanguageModelV4 {
  const { seed = 1, wordsPerSecond = 40, wait = waitFor } = options
  if (!(wordsPerSecond > 0)) throw new RangeError(`wordsPerSecond is ${wordsPerSecond}: it must be above 0.`)

  const stream = (call: LanguageModelV4CallOptions) => {
    // Like a request that is never sent: the call itself fails, not the stream.
    call.abortSignal?.throwIfAborted()
    const text = promptText(call.prompt)
    const random = seededRandom(seedFrom(call.seed ?? seed, text))
    const beats = beatsFor(readScene(call), random)
    const inputWords = countWords(text)
    return abortableStream(signal => {
      const pace = pacer({ wordsPerSecond, random, wait: ms => wait(ms, signal) })
      return playBeats(beats, { random, inputWords, pace })
    }, call.abortSignal)
  }

  return {
    specificationVersion: 'v4',
    provider: 'throughline.demo',
    modelId: 'demo',
    // It cannot read files, so nothing should be downloaded for it: every address counts as supported.
    supportedUrls: { '*/*': [/^/] },
    doStream: async call => ({ stream: stream(call) }),
    doGenerate: async call => collectStream(stream(call)),
  }
}

/** Waits before each piece, now longer, now shorter. Waits below a timer's grain are saved up until they count. */
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
