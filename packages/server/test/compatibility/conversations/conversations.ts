import { textOf } from '@throughline/protocol'
import { finish, say, scriptedAgent } from '@throughline/testing/agent/scripted-agent'
import { startTestServer } from '@throughline/testing/server/test-server'
import { type Conversation, exchange, type Stage, type StageOptions } from './conversation.ts'
import { firstQuestion as first, secondQuestion as second } from './questions.ts'
import { textTurns } from './transcript.ts'

const changed = '改过的问题 ✏️'
const half = '说到一半 🚧'
const answer = (number: number) => `第 ${number} 个回答 🙂。`

/** What a person does with a conversation: changes it, asks for another answer, stops one. */
export const conversations = {
  edit: {
    whole: textTurns(`${first}${changed}`, answer(4)),
    start: options =>
      numbered(options, {
        async act(page) {
          await exchange(page, () => page.do('send', first), answer(1))
          await exchange(page, () => page.do('send', second), answer(2))
          await exchange(page, () => page.do('edit', 1, changed), answer(3))
          await exchange(page, () => page.do('edit', 0, `${first}${changed}`), answer(4))
          return undefined
        },
        shouldBeGiven: [
          [first],
          [first, answer(1), second],
          [first, answer(1), changed],
          [`${first}${changed}`],
        ],
      }),
  },
  regenerate: {
    whole: textTurns(first, answer(1), second, answer(3)),
    start: options =>
      numbered(options, {
        async act(page) {
          await exchange(page, () => page.do('send', first), answer(1))
          await exchange(page, () => page.do('send', second), answer(2))
          await exchange(page, () => page.do('regenerate'), answer(3))
          return undefined
        },
        shouldBeGiven: [[first], [first, answer(1), second], [first, answer(1), second]],
      }),
  },
  'stop, then send': { whole: textTurns(first, half, second, answer(2)), start: stopped },
} as const satisfies Readonly<Record<string, Conversation>>

/** An agent that numbers its answers. */
async function numbered(options: StageOptions, stage: Pick<Stage, 'act' | 'shouldBeGiven'>): Promise<Stage> {
  const given: (readonly string[])[] = []
  const agent = scriptedAgent('assistant', ({ messages }) => {
    given.push(messages.map(textOf))
    return [say(answer(given.length)), finish]
  })
  return { ...stage, given, server: await startTestServer({ ...options, agents: [agent] }) }
}

/** An agent whose first answer never ends by itself. */
async function stopped(options: StageOptions): Promise<Stage> {
  let runs = 0
  const agent = scriptedAgent('assistant', async function* ({ signal }) {
    runs += 1
    if (runs > 1) return yield* [say(answer(runs)), finish]
    yield say(half)
    await new Promise(resolve => signal.addEventListener('abort', resolve))
  })
  return {
    server: await startTestServer({ ...options, agents: [agent] }),
    async act(page) {
      await page.do('send', first)
      await page.shows(half)
      await page.do('stop')
      await page.isIdle()
      await exchange(page, () => page.do('send', second), answer(2))
      return undefined
    },
  }
}
