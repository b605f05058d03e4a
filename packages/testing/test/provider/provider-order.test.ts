import { describe, expect, test } from 'vitest'
import { converse, type ModelName, outline } from '../../src/provider/converse.ts'
import { type RecordedResponse, startRecordedProvider } from '../../src/provider/recorded-provider.ts'

// What `streamText` passes on of each provider, as outlines (see converse.ts).
//
// Text ids: openai chat always says '0' and openai-compatible always 'txt-0', anthropic the index of the block in
// the message, google a counter that starts at '0' in every step, openai responses the id of the item. Where a
// provider says an id again in a later step, `ai` replaces it, so no id is opened twice in a stream.
// Closing: responses, anthropic and google end the text before a tool call. openai chat and openai-compatible keep
// it open until the step's response has ended: `text-end` comes after the tool's input, and text behind a tool call
// goes on under the same id. Reasoning is ended before the text or tool call that follows it.
// Tools: responses, anthropic and google send a `tool-call` right after its input; the two chat providers send all
// calls of a step at its end. `tool-result` comes after the calls of the step.
describe('text ids and order', () => {
  const answer = ['start-step', 'text-start ~', 'text-delta ~', 'text-end ~', 'finish-step stop']

  test.each([
    ['openai chat', '0'],
    ['openai-compatible', 'txt-0'],
  ] as const)(
    '%s has the constant text id %s and closes text only after the tool input',
    async (model, id) => {
      expect(await outlineOf(model, steps('openai', 'openai-chat.text-tool-text'))).toEqual([
        'start',
        'start-step',
        `text-start ${id}`,
        `text-delta ${id}`,
        'tool-input-start',
        'tool-input-delta',
        `text-end ${id}`,
        'tool-input-end',
        'tool-call',
        'tool-result',
        'finish-step tool-calls',
        ...answer,
        'finish stop',
      ])
    },
  )

  test.each([
    ['openai chat', '0'],
    ['openai-compatible', 'txt-0'],
  ] as const)('%s continues the text behind a tool call under the id %s it began with', async (model, id) => {
    expect(await outlineOf(model, steps('openai', 'openai-chat.text-around-tool'))).toEqual([
      'start',
      'start-step',
      `text-start ${id}`,
      `text-delta ${id}`,
      'tool-input-start',
      'tool-input-delta',
      `text-delta ${id}`,
      `text-end ${id}`,
      'tool-input-end',
      'tool-call',
      'tool-result',
      'finish-step tool-calls',
      ...answer,
      'finish stop',
    ])
  })

  test.each([
    ['openai chat', '0'],
    ['openai-compatible', 'txt-0'],
  ] as const)('%s ends parallel tool inputs together, after the text %s', async (model, id) => {
    expect(await outlineOf(model, steps('openai', 'openai-chat.parallel-tools'))).toEqual([
      'start',
      'start-step',
      `text-start ${id}`,
      `text-delta ${id}`,
      'tool-input-start',
      'tool-input-delta',
      'tool-input-start',
      'tool-input-delta',
      `text-end ${id}`,
      'tool-input-end',
      'tool-call',
      'tool-input-end',
      'tool-call',
      'tool-result',
      'finish-step tool-calls',
      ...answer,
      'finish stop',
    ])
  })

  test('openai-compatible ends the reasoning before the tool call and before the text', async () => {
    expect(await outlineOf('openai-compatible', steps('openai', 'openai-chat.reasoning-tool-text'))).toEqual([
      'start',
      'start-step',
      'reasoning-start reasoning-0',
      'reasoning-delta reasoning-0',
      'reasoning-end reasoning-0',
      'tool-input-start',
      'tool-input-delta',
      'tool-input-end',
      'tool-call',
      'tool-result',
      'finish-step tool-calls',
      'start-step',
      'reasoning-start ~',
      'reasoning-delta ~',
      'reasoning-end ~',
      'text-start txt-0',
      'text-delta txt-0',
      'text-end txt-0',
      'finish-step stop',
      'finish stop',
    ])
  })

  test('openai responses names a text after its item and closes it before the tool call', async () => {
    expect(await outlineOf('openai responses', steps('openai', 'openai-responses.text-tool-text'))).toEqual([
      'start',
      'start-step',
      'text-start msg_quay_01',
      'text-delta msg_quay_01',
      'text-end msg_quay_01',
      'tool-input-start',
      'tool-input-delta',
      'tool-input-end',
      'tool-call',
      'tool-result',
      'finish-step tool-calls',
      'start-step',
      'text-start msg_quay_02',
      'text-delta msg_quay_02',
      'text-end msg_quay_02',
      'finish-step stop',
      'finish stop',
    ])
  })

  test('anthropic opens a step with a custom part and closes text before the tool call', async () => {
    expect(await outlineOf('anthropic', steps('anthropic', 'anthropic.text-tool-text'))).toEqual([
      'start',
      'start-step',
      'custom anthropic.message_start',
      'text-start 0',
      'text-delta 0',
      'text-end 0',
      'tool-input-start',
      'tool-input-delta',
      'tool-input-end',
      'tool-call',
      'tool-result',
      'finish-step tool-calls',
      'start-step',
      'custom anthropic.message_start',
      ...answer.slice(1),
      'finish stop',
    ])
  })

  test('anthropic counts blocks within a step, and hands the signature over in an empty last delta', async () => {
    await using provider = await startRecordedProvider([
      { type: 'recording', name: 'anthropic.thinking.1', style: 'anthropic' },
    ])
    const { parts } = await converse('anthropic', provider.url)

    expect(outline(parts)).toEqual([
      'start',
      'start-step',
      'custom anthropic.message_start',
      'reasoning-start 0',
      'reasoning-delta 0',
      'reasoning-end 0',
      'text-start 1',
      'text-delta 1',
      'text-end 1',
      'finish-step stop',
      'finish stop',
    ])
    expect(parts.filter(part => part.type === 'reasoning-delta').at(-1)).toMatchObject({
      text: '',
      providerMetadata: { anthropic: { signature: 'c2lnbmF0dXJlLW9mLXRoZS1hdHRpYw==' } },
    })
  })

  test('google closes text before the tool call, whose input comes in one piece', async () => {
    await using provider = await startRecordedProvider(steps('google', 'google.text-tool-text'))
    const { parts } = await converse('google', provider.url)

    expect(parts.filter(part => part.type === 'tool-input-delta')).toHaveLength(1)
    expect(outline(parts)).toEqual([
      'start',
      'start-step',
      'text-start 0',
      'text-delta 0',
      'text-end 0',
      'tool-input-start',
      'tool-input-delta',
      'tool-input-end',
      'tool-call',
      'tool-result',
      'finish-step tool-calls',
      ...answer,
      'finish stop',
    ])
  })
})

function steps(style: 'openai' | 'anthropic' | 'google', name: string): readonly RecordedResponse[] {
  return [1, 2].map(step => ({ type: 'recording', name: `${name}.${step}`, style }))
}

async function outlineOf(model: ModelName, script: readonly RecordedResponse[]): Promise<readonly string[]> {
  await using provider = await startRecordedProvider(script)
  return outline((await converse(model, provider.url)).parts)
}
