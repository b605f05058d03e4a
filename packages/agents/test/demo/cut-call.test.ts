import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { continueRequests } from '@throughline/protocol/internal'
import { expect, test } from 'vitest'
import { goOnNote } from '../../src/ai-sdk/request-messages.ts'
import { createDemoModel } from '../../src/demo/demo-model.ts'
import { cutCallOf } from '../../src/demo/read-scene.ts'
import { actionsAfter } from '../../src/demo/script.ts'

const question: LanguageModelV4Prompt[number] = {
  role: 'user',
  content: [{ type: 'text', text: 'Tell me something long.' }],
}

test('an answer that was cut after any share of its text goes on with exactly the rest of it', async () => {
  const whole = await textFor([question])
  for (const share of [0.01, 0.3, 0.99, 1]) {
    const said = whole.slice(0, Math.ceil(whole.length * share))
    expect(said + (await textFor([question, ...cutAfter(said)]))).toBe(whole)
  }
})

test.each(Object.values(continueRequests))(
  'an answer that a person has stopped goes on when they ask for it, also twice: %s',
  async text => {
    const whole = await textFor([question])
    const said = [whole.slice(0, 500), whole.slice(500, 900)]
    const goOn: LanguageModelV4Prompt[number] = { role: 'user', content: [{ type: 'text', text }] }
    const stopped = said.flatMap(each => [...cutAfter(each).slice(0, 1), goOn])
    expect(await textFor([question, ...stopped])).toBe(whole.slice(900))
  },
)

test('a call without the note is not a call that was cut off', () => {
  const prompt: LanguageModelV4Prompt = [question, ...cutAfter('Said.').slice(0, 1), question]
  expect(cutCallOf({ prompt })).toEqual({ call: { prompt }, said: '' })
})

test('a script goes on after the words that were said: earlier thoughts are left out, calls are made', () => {
  const actions = [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: 'One. Two.' },
    { type: 'tool-call', toolName: 'weather', input: {} },
  ] as const
  expect(actionsAfter(actions, 'One.')).toEqual([{ type: 'text', text: ' Two.' }, actions[2]])
  expect(actionsAfter(actions, 'One. Two.')).toEqual([actions[2]])
  expect(actionsAfter(actions, '')).toBe(actions)
})

function cutAfter(said: string): LanguageModelV4Prompt {
  return [
    { role: 'assistant', content: [{ type: 'text', text: said }] },
    { role: 'user', content: [{ type: 'text', text: goOnNote }] },
  ]
}

async function textFor(prompt: LanguageModelV4Prompt): Promise<string> {
  const call: LanguageModelV4CallOptions = { prompt }
  const { stream } = await createDemoModel({ wordsPerSecond: Number.POSITIVE_INFINITY }).doStream(call)
  let text = ''
  for await (const part of stream) if (part.type === 'text-delta') text += part.delta
  return text
}
