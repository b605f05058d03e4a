import { type Message, textOf } from '@throughline/protocol'
import {
  asking,
  breaking,
  calling,
  saying,
  scriptedModel,
  type Turns,
} from '@throughline/testing/agent/scripted-model'
import { ask, loadAnswer, loadChat, sendJson } from '@throughline/testing/http/chat-requests'
import { outputsOf, readLog, replay } from '@throughline/testing/http/read-log'
import { valuesOf } from '@throughline/testing/http/sse-bytes'
import { startDelegation, subAgent } from '@throughline/testing/server/delegating-server'
import { describe, expect, test } from 'vitest'

const tagged = '<think>\nThe user asks for the sky.\n</think>\n\nThe sky is clear.'

describe('what a model puts in think tags', () => {
  test.each([1, 2, 3, 7, 1000])('is reasoning for every reader, in deltas of %i characters', async size => {
    await using server = await answering({ master: [cut(tagged, size)] })
    const bytes = Buffer.from(await (await ask(server.url)).arrayBuffer())
    expect(bytes.includes('think>')).toBe(false)
    const answer = await loadAnswer(server.url)
    expect(partsOf(answer)).toEqual([
      ['reasoning', 'The user asks for the sky.\n'],
      ['text', 'The sky is clear.'],
    ])
    expect((await loadChat(server.url)).messages).toEqual(replay(await readLog(server.url)))
  })

  test('is no text of the event API', async () => {
    await using server = await answering({ master: [cut(tagged, 3)] })
    const response = await sendJson(`${server.url}/agent/query-stream-delta`, { message: 'The sky?' })
    const events = valuesOf(Buffer.from(await response.arrayBuffer()))
    expect(JSON.stringify(events)).not.toContain('asks for the sky')
    expect(events).toContainEqual(expect.objectContaining({ type: 'final', content: 'The sky is clear.' }))
  })

  test('is no part of what a sub-agent tells its caller', async () => {
    await using server = await answering({
      master: [[asking('helper')], [saying('Done.')]],
      helper: [cut(tagged, 4)],
    })
    await (await ask(server.url)).text()
    expect(outputsOf(await readLog(server.url)).get('ask-helper')).toMatchObject({
      summary: 'The sky is clear.',
    })
  })

  test('ends with its step, also when the model forgets to close it', async () => {
    await using server = await answering({
      master: [
        [saying('<think>I look it up.'), calling('note', { text: 'x' })],
        [saying('The sky is clear.')],
      ],
    })
    await (await ask(server.url)).text()
    expect(partsOf(await loadAnswer(server.url))).toEqual([
      ['reasoning', 'I look it up.'],
      ['text', 'The sky is clear.'],
    ])
  })

  test('is text where the model writes about it in code', async () => {
    const text = 'Use `<think>`:\n\n```xml\n<think>a</think>\n```\n'
    await using server = await answering({ master: [cut(text, 2)] })
    await (await ask(server.url)).text()
    expect(partsOf(await loadAnswer(server.url))).toEqual([['text', text]])
  })
})

describe('a text that a provider repeats', () => {
  test('as its last delta is shown once, while and after it comes', async () => {
    await using server = await answering({
      master: [[saying('The sky '), saying('is clear.'), saying('The sky is clear.')]],
    })
    const bytes = Buffer.from(await (await ask(server.url)).arrayBuffer())
    expect(deltasIn(bytes)).toBe('The sky is clear.')
    expect(textOf(await loadAnswer(server.url))).toBe('The sky is clear.')
  })

  test.each([
    [['今天', '天气很好。', '今天天气很好。'], '今天天气很好。'],
    [['Yes.', 'Yes.'], 'Yes.'],
  ])('is shown once however short it is: %j', async (deltas, text) => {
    await using server = await answering({ master: [deltas.map(delta => saying(delta))] })
    const bytes = Buffer.from(await (await ask(server.url)).arrayBuffer())
    expect(deltasIn(bytes)).toBe(text)
    expect(textOf(await loadAnswer(server.url))).toBe(text)
  })

  test('with every delta is shown once, thinking included', async () => {
    const ends = [3, 9, 20, 42, tagged.length - 5, tagged.length]
    await using server = await answering({ master: [ends.map(end => saying(tagged.slice(0, end)))] })
    await (await ask(server.url)).text()
    expect(partsOf(await loadAnswer(server.url))).toEqual([
      ['reasoning', 'The user asks for the sky.\n'],
      ['text', 'The sky is clear.'],
    ])
  })

  test('is not a text that says the same again', async () => {
    await using server = await answering({ master: [[saying('ha'), saying('ha')]] })
    await (await ask(server.url)).text()
    expect(textOf(await loadAnswer(server.url))).toBe('haha')
  })
})

test('what was held back comes out when the provider breaks', async () => {
  await using server = await answering({ master: [[saying('It ends with <thi'), breaking('gone')]] })
  await (await ask(server.url)).text()
  const answer = await loadAnswer(server.url)
  expect(answer.metadata?.status).toBe('failed')
  expect(textOf(answer)).toBe('It ends with <thi')
})

function answering(turns: Turns) {
  return startDelegation({ model: scriptedModel(turns), subAgents: [subAgent('helper')] })
}

function cut(text: string, size: number) {
  const count = Math.ceil(text.length / size)
  return Array.from({ length: count }, (_, index) => saying(text.slice(index * size, (index + 1) * size)))
}

function partsOf({ parts }: Message) {
  return parts.flatMap(part =>
    part.type === 'text' || part.type === 'reasoning' ? [[part.type, part.text]] : [],
  )
}

function deltasIn(bytes: Buffer): string {
  const chunks = valuesOf(bytes).filter(
    (value): value is { delta: string } => typeof value === 'object' && value !== null && 'delta' in value,
  )
  return chunks.map(({ delta }) => delta).join('')
}
