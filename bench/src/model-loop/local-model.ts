import { setImmediate as nextTurn } from 'node:timers/promises'
import { MockLanguageModelV4 } from 'ai/test'
import { deltas, numbered } from './answer-script.ts'

type Stream = Awaited<ReturnType<MockLanguageModelV4['doStream']>>['stream']

/** Makes a model that costs almost nothing. It sends one delta per turn of the event loop. */
export function createLocalModel(): MockLanguageModelV4 {
  return new MockLanguageModelV4({ doStream: async () => ({ stream: answer() }) })
}

function answer(): Stream {
  let index = 0
  const stream: Stream = new ReadableStream({
    start(controller) {
      controller.enqueue({ type: 'stream-start', warnings: [] })
      controller.enqueue({ type: 'text-start', id: '0' })
    },
    async pull(controller) {
      await nextTurn()
      if (index < deltas) {
        controller.enqueue({ type: 'text-delta', id: '0', delta: numbered(index) })
        index += 1
        return
      }
      controller.enqueue({ type: 'text-end', id: '0' })
      controller.enqueue({ type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage })
      controller.close()
    },
  })
  return stream
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}
