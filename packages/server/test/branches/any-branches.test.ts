import { branchOf, type Message } from '@throughline/protocol'
import { recordingAgent } from '@throughline/testing/agent/recording-agent'
import { finish, type Script, say } from '@throughline/testing/agent/scripted-agent'
import {
  answerTo,
  idsOf,
  loadAll,
  loadBranch,
  loadBranches,
  otherAnswerTo,
} from '@throughline/testing/http/branch-requests'
import { loadChat } from '@throughline/testing/http/chat-requests'
import { fromWire } from '@throughline/testing/http/read-chunks'
import { readLog, replay } from '@throughline/testing/http/read-log'
import { startTestServer } from '@throughline/testing/server/test-server'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'

interface Spoken {
  readonly id: string
  readonly role: 'user' | 'assistant'
  /** The message before it on its branch, empty for none. */
  readonly follows: string
}

type Act =
  | { readonly type: 'send' | 'edit' | 'another-answer'; readonly to: number }
  | { readonly type: 'go-on' }

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ type: fc.constantFrom('send' as const, 'edit', 'another-answer'), to: fc.nat({ max: 50 }) }),
  fc.record({ type: fc.constant('go-on' as const) }),
)

// Every third answer breaks off: a branch may go on from it like from any other.
const scripts = Array.from({ length: 2_000 }, (_, index): Script => {
  const text = say(`Answer ${index}.`)
  return index % 3 === 2 ? [text, { type: 'error', error: new Error('broken') }] : [text, finish]
})
const { agent, given } = recordingAgent(scripts)
const server = await startTestServer({ agents: [agent] })
const { url } = server
afterAll(() => server[Symbol.asyncDispose]())

test('whatever people do in a chat, every agent is given its branch, and nothing is ever lost or moved', async () => {
  let count = 0
  const acts = fc.array(act, { maxLength: 9, size: 'max' })
  await fc.assert(
    fc.asyncProperty(acts, async everything => {
      count += 1
      const chatId = `chat-${count}`
      let spoken: readonly Spoken[] = []
      let before: readonly Message[] = []
      for (const each of [{ type: 'go-on' } as const, ...everything]) {
        spoken = await perform(each, { chatId, spoken })
        const all = await loadAll(url, chatId)
        expect(idsOf(all)).toEqual(spoken.map(({ id }) => id))
        expect(all.slice(0, before.length)).toEqual(before)
        before = all
      }
      await expectBranches(chatId, spoken)
    }),
    { numRuns: 25 },
  )
})

interface Talk {
  readonly chatId: string
  readonly spoken: readonly Spoken[]
}

/** Does something in the chat, and checks what the agent was given for it. */
async function perform(does: Act, { chatId, spoken }: Talk): Promise<readonly Spoken[]> {
  const questions = spoken.filter(({ role }) => role === 'user')
  const last = spoken.at(-1)?.id ?? ''
  if (does.type === 'another-answer') {
    const question = pick(questions, does.to)
    if (question === undefined) return spoken
    const id = await otherAnswerTo(url, { chatId, messageId: question.id })
    expect(given.at(-1)).toEqual(pathTo(spoken, question.id))
    return [...spoken, { id, role: 'assistant', follows: question.id }]
  }
  const follows = placeFor(does, spoken) ?? last
  const messageId = `question-${spoken.length}`
  const fields = does.type === 'go-on' ? {} : { after: follows }
  const question: Spoken = { id: messageId, role: 'user', follows }
  const id = await answerTo(url, { chatId, messageId, fields })
  const asked = [...spoken, question]
  expect(given.at(-1)).toEqual(pathTo(asked, messageId))
  return [...asked, { id, role: 'assistant', follows: messageId }]
}

function placeFor(does: Act, spoken: readonly Spoken[]): string | undefined {
  if (does.type === 'send') return pick(['', ...spoken.map(({ id }) => id)], does.to)
  const questions = spoken.filter(({ role }) => role === 'user')
  return does.type === 'edit' ? pick(questions, does.to)?.follows : undefined
}

async function expectBranches(chatId: string, spoken: readonly Spoken[]): Promise<void> {
  const all = await loadAll(url, chatId)
  expect(fromWire(replay(await readLog(url, chatId)))).toEqual(all)
  const last = spoken.at(-1)?.id
  const shown = (await loadChat(url, chatId)).messages
  expect(idsOf(shown)).toEqual(last === undefined ? [] : pathTo(spoken, last))
  const followed = new Set(spoken.map(({ follows }) => follows))
  const tips = spoken.filter(({ id }) => !followed.has(id)).map(({ id }) => id)
  expect((await loadBranches(url, chatId)).map(({ id }) => id)).toEqual(tips.toReversed())
  for (const { id } of spoken) {
    const branch = await loadBranch(url, id, chatId)
    expect(branch).toEqual(branchOf(all, id))
    expect(idsOf(branch).slice(0, pathTo(spoken, id).length)).toEqual(pathTo(spoken, id))
  }
}

function pathTo(spoken: readonly Spoken[], id: string): readonly string[] {
  const found = spoken.find(each => each.id === id)
  return found === undefined ? [] : [...pathTo(spoken, found.follows), id]
}

function pick<Each>(from: readonly Each[], place: number): Each | undefined {
  return from[place % Math.max(1, from.length)]
}
