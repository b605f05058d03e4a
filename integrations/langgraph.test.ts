import { textToolTextParts } from '@throughline/testing/agent/text-tool-text'
import { ask, loadAnswer, stop } from '@throughline/testing/http/chat-requests'
import { describe, expect, test } from 'vitest'
import { answerOf, serve } from './langgraph/graph-server.ts'
import { forms } from './langgraph/graphs.ts'
import { calling, ScriptedChatModel, saying, type Turn, thinking } from './langgraph/scripted-chat-model.ts'

describe.each(forms)('%s:', (_, make) => {
  test('text, a tool call with its result, and text come through, and the usage of both steps', async () => {
    const turns = [
      [saying('Let me '), saying('look. '), ...calling('weather', { city: 'Lisbon' })],
      [saying('It is clear.')],
    ]
    const { parts, metadata } = await answerOf(make(new ScriptedChatModel(turns)))
    expect(parts).toMatchObject(textToolTextParts)
    expect(metadata).toMatchObject({
      status: 'finished',
      finishReason: 'stop',
      usage: { inputTokens: 20, outputTokens: 10, byModel: { 'test:scripted': { calls: 2 } } },
    })
  })

  test('tools that work at the same time each have their result', async () => {
    const turns = [
      [
        ...calling('weather', { city: 'Lisbon' }, { id: 'a', index: 0 }),
        ...calling('weather', { city: 'Oslo' }, { id: 'b', index: 1 }),
      ],
      [saying('Both are clear.')],
    ]
    const { parts } = await answerOf(make(new ScriptedChatModel(turns)))
    expect(parts.filter(({ type }) => type === 'tool-weather')).toMatchObject([
      { state: 'output-available', input: { city: 'Lisbon' }, output: { city: 'Lisbon' } },
      { state: 'output-available', input: { city: 'Oslo' }, output: { city: 'Oslo' } },
    ])
  })

  test('reasoning comes through as reasoning', async () => {
    const turns = [[thinking('They '), thinking('greet me.'), saying('Hello!')]]
    const { parts } = await answerOf(make(new ScriptedChatModel(turns)))
    expect(parts).toMatchObject([
      { type: 'step-start' },
      { type: 'reasoning', text: 'They greet me.' },
      { type: 'text', text: 'Hello!' },
    ])
  })

  test('the error of a tool stands at its call, and the answer goes on', async () => {
    const turns = [[...calling('weather', { city: 'Atlantis' })], [saying('I do not know.')]]
    const { parts, metadata } = await answerOf(make(new ScriptedChatModel(turns)))
    expect(parts).toContainEqual(
      expect.objectContaining({
        type: 'tool-weather',
        state: 'output-error',
        errorText: expect.stringContaining('There is no such city.'),
      }),
    )
    expect(metadata?.status).toBe('finished')
  })

  test('it reads the chat so far, with the results of its tools', async () => {
    const model = new ScriptedChatModel([
      [...calling('weather', { city: 'Lisbon' })],
      [saying('It is clear.')],
    ])
    await using server = await serve(make(model))
    await (await ask(server.url)).text()
    await (await ask(server.url, { messageId: 'second', text: 'And Oslo?' })).text()
    const prompt = model.prompts[2] ?? []
    expect(prompt.map(message => message.getType())).toEqual(['system', 'human', 'ai', 'tool', 'ai', 'human'])
    expect(prompt[3]?.content).toBe('{"city":"Lisbon","sky":"clear"}')
  })
})

describe.each(forms)('%s, ended in the middle:', (_, make) => {
  test('when the model breaks off, the answer fails, and what was said is kept', async () => {
    const turns: readonly Turn[] = [
      async function* () {
        yield saying('It is ')
        yield saying('probably ')
        throw new Error('gone')
      },
    ]
    const { parts, metadata } = await answerOf(make(new ScriptedChatModel(turns)))
    expect(parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'It is probably ' }))
    expect(metadata?.status).toBe('failed')
  })

  test('a stop ends the model call, and what was said is kept', async () => {
    const model = new ScriptedChatModel([
      async function* () {
        yield saying('One moment. ')
        await new Promise(() => undefined)
      },
    ])
    await using server = await serve(make(model))
    const reading = ask(server.url).then(response => response.text())
    await expect
      .poll(async () => JSON.stringify((await loadAnswer(server.url)).parts))
      .toContain('One moment.')
    await stop(server.url)
    await reading
    const { parts, metadata } = await loadAnswer(server.url)
    expect(parts).toContainEqual(expect.objectContaining({ type: 'text', text: 'One moment. ' }))
    expect(metadata?.status).toBe('stopped')
    expect(model.signals[0]?.aborted).toBe(true)
  })
})
