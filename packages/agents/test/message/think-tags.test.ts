import { type Chunk, emptyChat, findMessage, fold, isMessageId, isRunId } from '@throughline/protocol'
import { say } from '@throughline/testing/agent/scripted-agent'
import { readAsFold } from '@throughline/testing/http/read-chunks'
import { idOf } from '@throughline/testing/log/id-of'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../src/agent/agent-event.ts'
import { MessageWriter, type MessageWriterOptions } from '../../src/message/message-writer.ts'
import { asWritten } from './as-written.ts'

const signed = { maker: { signature: 's' } }

test('metadata of a piece that is held back goes out with the next piece', () => {
  const events: AgentEvent[] = [
    { type: 'text-delta', text: 'Yes. <', providerMetadata: signed },
    { type: 'text-delta', text: 'th', providerMetadata: signed },
    say('e end'),
  ]
  expect(asWritten(events)).toMatchObject([
    { text: 'Yes. ', providerMetadata: signed },
    { text: '<the end', providerMetadata: signed },
  ])
})

test('metadata without a text stays', () => {
  const event: AgentEvent = { type: 'text-delta', text: '', providerMetadata: signed }
  expect(asWritten([event, say('a'), event])).toMatchObject([event, { text: 'a' }, event])
})

test('thinking that is never closed ends with the answer, so an agent that is asked again begins anew', () => {
  const finish: AgentEvent = { type: 'finish', finishReason: 'stop' }
  expect(asWritten([say('<think>Hm.'), finish, say('Yes.')])).toMatchObject([
    { type: 'reasoning-delta', text: 'Hm.' },
    { type: 'finish' },
    { type: 'text-delta', text: 'Yes.' },
  ])
})

test('what comes out has no tags left: another Throughline that shows it finds the same', () => {
  const piece = fc.constantFrom('<think>', '</think>', 'a', ' ', '\n', '`', '```', '\n```\n', '<b>', 'think')
  const event = fc.oneof(
    { weight: 6, arbitrary: piece.map(say) },
    { weight: 1, arbitrary: fc.constant<AgentEvent>({ type: 'text-end' }) },
    { weight: 1, arbitrary: fc.constant<AgentEvent>({ type: 'step-start' }) },
  )
  fc.assert(
    fc.property(fc.array(event, { maxLength: 20 }), events => {
      const once = asWritten(events).flatMap(each => (each.type === 'end' ? [] : [each]))
      // The stream of a Throughline says where each part ends.
      const parts = once.flatMap((each, index): readonly AgentEvent[] =>
        each.type === 'text-delta' && once[index + 1]?.type === 'reasoning-delta'
          ? [each, { type: 'text-end' }]
          : [each],
      )
      const twice = asWritten(parts)
      for (const type of ['text-delta', 'reasoning-delta'] as const) {
        expect(joined(twice, type)).toBe(joined(once, type))
      }
    }),
    { numRuns: 2_000 },
  )
})

describe('an answer that goes on after a crash', () => {
  const before = ['Write:\n\n```xml\n']

  test('begins another text', async () => {
    expect(await partsAfter(before, [say('<think>a</think>\n```')], {})).toEqual([
      ['text', 'Write:\n\n```xml\n'],
      ['reasoning', 'a'],
      ['text', '```'],
    ])
  })

  test('in the middle of its text is still in the code where it was', async () => {
    const rest: AgentEvent[] = [{ type: 'step-start' }, say('<think>a</think>\n```\n<think>b</think>c')]
    expect(await partsAfter(before, rest, { resumesText: true })).toEqual([
      ['text', 'Write:\n\n```xml\n'],
      ['text', '<think>a</think>\n```\n'],
      ['reasoning', 'b'],
      ['text', 'c'],
    ])
  })

  test('with something else than text has left the code', async () => {
    const call: AgentEvent = { type: 'tool-call', toolCallId: 'c', toolName: 'look', input: {} }
    const parts = await partsAfter(before, [call, say('<think>a</think>')], { resumesText: true })
    expect(parts.slice(1)).toEqual([['reasoning', 'a']])
  })
})

async function partsAfter(
  said: readonly string[],
  events: readonly AgentEvent[],
  options: Pick<MessageWriterOptions, 'resumesText'>,
) {
  const chunks: Chunk[] = [
    { type: 'start', messageId: 'answer' },
    ...said.flatMap((delta, index): readonly Chunk[] => [
      { type: 'text-start', id: `text-${index}` },
      { type: 'text-delta', id: `text-${index}`, delta },
      { type: 'text-end', id: `text-${index}` },
    ]),
  ]
  const messageId = idOf(isMessageId, 'answer')
  const runId = idOf(isRunId, 'run')
  const entries = chunks.map((chunk, index) => ({ seq: index + 1, at: 0, runId, messageId, chunk }))
  const writer = new MessageWriter({
    ...options,
    messageId,
    resumes: findMessage(entries.reduce(fold, emptyChat()), messageId),
    clock: { now: () => new Date(0), nextStep: () => 1 },
    async emit(chunk) {
      chunks.push(chunk)
    },
  })
  for (const event of events) await writer.write(event)
  await writer.end({ status: 'finished' })
  return readAsFold(chunks).parts.flatMap(part =>
    part.type === 'text' || part.type === 'reasoning' ? [[part.type, part.text]] : [],
  )
}

function joined(
  events: readonly { readonly type: string; readonly text?: string | undefined }[],
  type: string,
): string {
  return events.map(event => (event.type === type ? event.text : '')).join('')
}
