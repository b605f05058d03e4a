import type { AgentEvent } from '@throughline/agents'
import type { Message } from '@throughline/protocol'
import { finish, say, scriptedAgent, weatherCall } from '@throughline/testing/agent/scripted-agent'
import { asking, saying, scriptedModel } from '@throughline/testing/agent/scripted-model'
import { ask, loadAnswer, loadChat } from '@throughline/testing/http/chat-requests'
import { outputsOf, readLog, replay } from '@throughline/testing/http/read-log'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { startTestServer } from '@throughline/testing/server/test-server'
import { describe, expect, test } from 'vitest'

const tagged = '<think>\nThe user asks for the sky.\n</think>\n\nThe sky is clear.'
const split = [
  ['reasoning', 'The user asks for the sky.\n'],
  ['text', 'The sky is clear.'],
]

// A foreign agent has no model of the AI SDK: nothing but its events is known.
describe('what a foreign agent puts in think tags', () => {
  test.each([1, 2, 3, 7, 1000])('is reasoning for every reader, in deltas of %i characters', async size => {
    const { bytes, messages, replayed, parts } = await answerOf(cut(tagged, size))
    expect(bytes).not.toContain('think>')
    expect(parts).toEqual(split)
    expect(messages).toEqual(replayed)
  })

  test('is reasoning also when it comes at once with other content', async () => {
    const { parts } = await answerOf([{ type: 'content', text: tagged, toolCalls: [weatherCall()] }])
    expect(parts).toEqual(split)
  })

  test('is reasoning in texts that repeat all of the step, and nothing is shown twice', async () => {
    const ends = [3, 9, 20, 42, tagged.length - 5, tagged.length, tagged.length]
    const { parts } = await answerOf(
      ends.map(end => ({ type: 'text-snapshot', text: tagged.slice(0, end) }) as const),
    )
    expect(parts).toEqual(split)
  })

  test('is text where the agent writes about it in code', async () => {
    const text = 'Use `<think>`:\n\n```xml\n<think>a</think>\n```\n'
    const { parts } = await answerOf(cut(text, 2))
    expect(parts).toEqual([['text', text]])
  })

  test('ends with the step, also when the agent forgets to close it', async () => {
    const { parts } = await answerOf([
      { type: 'step-start' },
      say('<think>I look it up.'),
      { type: 'tool-call', ...weatherCall() },
      { type: 'tool-result', ...weatherCall(), output: 'clear' },
      { type: 'step-end' },
      { type: 'step-start' },
      say('The sky is clear.'),
      { type: 'step-end' },
    ])
    expect(parts).toEqual([
      ['reasoning', 'I look it up.'],
      ['text', 'The sky is clear.'],
    ])
  })

  test('is one thought, and one text, whatever a tool or a page is told in between', async () => {
    const { parts } = await answerOf([
      { type: 'tool-call', ...weatherCall() },
      ...cut('<think>Hm.</thi', 4),
      { type: 'tool-progress', ...weatherCall(), output: 'half' },
      say('nk>The sky'),
      { type: 'ui-event', data: 1 },
      { type: 'tool-result', ...weatherCall(), output: 'clear' },
      say(' is clear. <'),
    ])
    expect(parts).toEqual([
      ['reasoning', 'Hm.'],
      ['text', 'The sky is clear. <'],
    ])
  })

  test('is no part of what a sub-agent tells its caller', async () => {
    const model = scriptedModel({ master: [[asking('helper')], [saying('Done.')]] })
    const helper = { ...subAgent('helper'), run: scriptedAgent('helper', [...cut(tagged, 4), finish]).run }
    await using server = await startDelegation({ model, subAgents: [helper] })
    await (await ask(server.url)).text()
    expect(outputsOf(await readLog(server.url)).get('ask-helper')).toMatchObject({
      summary: 'The sky is clear.',
    })
  })

  test('is no answer: an agent that only thinks has said nothing', async () => {
    const { answer } = await answerOf([say('<think>Hm.</think>')])
    expect(answer.metadata).toMatchObject({ status: 'finished', isEmpty: true })
  })
})

async function answerOf(events: readonly AgentEvent[]) {
  await using server = await startTestServer({ agents: [scriptedAgent('assistant', [...events, finish])] })
  const bytes = await (await ask(server.url)).text()
  const answer = await loadAnswer(server.url)
  const { messages } = await loadChat(server.url)
  return { bytes, answer, messages, replayed: replay(await readLog(server.url)), parts: partsOf(answer) }
}

function cut(text: string, size: number): readonly AgentEvent[] {
  const count = Math.ceil(text.length / size)
  return Array.from({ length: count }, (_, index) => say(text.slice(index * size, (index + 1) * size)))
}

function partsOf({ parts }: Message) {
  return parts.flatMap(part =>
    part.type === 'text' || part.type === 'reasoning' ? [[part.type, part.text]] : [],
  )
}
