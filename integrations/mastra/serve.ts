import { namedAgent } from '@throughline/agents'
import { type FromMastraOptions, fromMastra, type MastraAgent } from '@throughline/agents/mastra'
import type { Message } from '@throughline/protocol'
import { scriptedModel, type Turn } from '@throughline/testing/agent/scripted-model'
import { ask, loadAnswer } from '@throughline/testing/http/chat-requests'
import { startTestServer, type TestServerOptions } from '@throughline/testing/server/test-server'
import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai/test'

type Streamed = Awaited<ReturnType<MockLanguageModelV4['doStream']>>['stream']
type StreamPart = Streamed extends ReadableStream<infer Part> ? Part : never

/** Returns a model that does this in its calls, one after the other. */
export function scripted(turns: readonly Turn[]): MockLanguageModelV4 {
  return scriptedModel({ support: turns })
}

/** Starts a real server that has only this agent. */
export function serve(agent: MastraAgent, options: FromMastraOptions & TestServerOptions = {}) {
  const { memory, maxSteps, ...server } = options
  const named = namedAgent('support', fromMastra(agent, { memory, maxSteps }))
  return startTestServer({ ...server, agents: [named] })
}

/** Asks the agent on a server, and returns what the server has saved. */
export async function answerOf(agent: MastraAgent, options: FromMastraOptions = {}): Promise<Message> {
  await using server = await serve(agent, options)
  await (await ask(server.url)).text()
  return await loadAnswer(server.url)
}

/** Returns a model whose calls stream these parts, each call one list. */
export function streaming(...calls: readonly (readonly StreamPart[])[]): MockLanguageModelV4 {
  let call = 0
  return new MockLanguageModelV4({
    provider: 'test',
    modelId: 'scripted',
    doStream: async () => {
      const parts = calls[call] ?? []
      call += 1
      return { stream: convertArrayToReadableStream([{ type: 'stream-start', warnings: [] }, ...parts]) }
    },
  })
}

/** The last part of a model call. */
export function finish(unified: 'stop' | 'tool-calls'): StreamPart {
  return {
    type: 'finish',
    finishReason: { unified, raw: unified },
    usage: {
      inputTokens: { total: 10, noCache: 6, cacheRead: 4, cacheWrite: 0 },
      outputTokens: { total: 5, text: 2, reasoning: 3 },
    },
  }
}
