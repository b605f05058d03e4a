import { MockLanguageModelV4 } from 'ai/test'
import { saying, scriptedModel } from './scripted-model.ts'

/** Returns a model that answers "Sunny." to the agent `master`, and makes titles of chats as the test says. */
export function titlingModel(title: () => Promise<string>): MockLanguageModelV4 {
  const answers = scriptedModel({ master: [[saying('Sunny.')]] })
  return new MockLanguageModelV4({
    provider: 'test',
    modelId: 'titles',
    doStream: call => answers.doStream(call),
    doGenerate: async () => ({
      content: [{ type: 'text', text: await title() }],
      finishReason: { unified: 'stop', raw: 'stop' },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    }),
  })
}
