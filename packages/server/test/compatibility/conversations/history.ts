import { asking, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { expect } from 'vitest'
import { type Conversation, exchange, type Stage, type StageOptions } from './conversation.ts'
import { firstQuestion, questionsIn, secondQuestion } from './questions.ts'
import { type Call, finished } from './transcript.ts'

const asked: Call = {
  tool: 'subAgent',
  input: { name: 'helper', task: 'A task for helper.' },
  state: 'done',
  output: { ok: true, messageId: expect.any(String), summary: '我在这里 🙋。' },
}

/** The page is loaded again in the middle of the second answer. The first one was made with a sub-agent. */
export const history: Conversation = {
  whole: {
    messages: [
      { user: firstQuestion },
      {
        answer: [{ text: '我去问一下。' }, asked, { text: '都好了 🎉。' }],
        subAgents: { 'The helper': [{ text: '我在这里 🙋。' }] },
      },
      { user: secondQuestion },
      { answer: [{ text: '天空晴朗，21 度 🎉。' }], subAgents: {} },
    ],
    end: finished,
  },
  start,
}

async function start(options: StageOptions): Promise<Stage> {
  const back = Promise.withResolvers<void>()
  const model = scriptedModel({
    master: [
      async function* (prompt) {
        if (questionsIn(prompt) === 1) return yield* [saying('我去问一下。'), asking('helper')]
        yield saying('天空晴朗，')
        await back.promise
        yield saying('21 度 🎉。')
      },
      [saying('都好了 🎉。')],
    ],
    helper: [[saying('我在这里 🙋。')]],
  })
  return {
    server: await startDelegation({ ...options, model, subAgents: [subAgent('helper')] }),
    async act(page) {
      await exchange(page, () => page.do('send', firstQuestion), '都好了 🎉。')
      await page.do('send', secondQuestion)
      await page.shows('天空晴朗，')
      await page.load()
      await page.shows('天空晴朗，')
      back.resolve()
      await page.shows('21 度 🎉。')
      await page.isIdle()
      return undefined
    },
  }
}
