import { expect, test } from 'vitest'
import {
  type AnswerEvent,
  bufferBlock,
  messageIndexOf,
  noReply,
  type ReplyState,
  recordTool,
  recordToolEnd,
  takeBlock,
  updateReply,
} from '../../src/reading/reply-state.ts'
import { inferToolMeta } from '../../src/reading/tool-meta.ts'

function after(...events: readonly AnswerEvent[]): { state: ReplyState; added: string[] } {
  let state = noReply
  const added: string[] = []
  for (const event of events) {
    const update = updateReply(state, event)
    state = update.state
    if (update.added !== '') added.push(update.added)
  }
  return { state, added }
}

const start = { type: 'message-start' } as const
const end = { type: 'message-end' } as const
const delta = (text: string) => ({ type: 'text-delta', delta: text }) as const

test('deltas add up to the text of the message', () => {
  const { state, added } = after(start, delta('Hel'), delta('lo'), end)
  expect(added).toEqual(['Hel', 'lo'])
  expect(state.assistantTexts).toEqual(['Hello'])
})

test('a full text that is repeated adds only its new end', () => {
  const { state, added } = after(start, delta('Hel'), { type: 'text-end', content: 'Hello' }, end)
  expect(added).toEqual(['Hel', 'lo'])
  expect(state.assistantTexts).toEqual(['Hello'])
})

test('a text that was seen, at the start or anywhere, adds nothing', () => {
  const seen = [start, delta('Hello there')] as const
  expect(after(...seen, { type: 'text-end', content: 'Hello' }).added).toEqual(['Hello there'])
  expect(after(...seen, { type: 'text-end', content: 'there' }).added).toEqual(['Hello there'])
  expect(after(...seen, { type: 'text-end', content: '' }).added).toEqual(['Hello there'])
  expect(after(...seen, { type: 'text-end' }).added).toEqual(['Hello there'])
})

test('a new text is appended, and a delta is taken as it is', () => {
  const events = [start, delta('One.'), { type: 'text-end', content: ' Two.' }] as const
  expect(after(...events, { type: 'text-start', delta: 'One.' }, end).state.assistantTexts).toEqual([
    'One. Two.One.',
  ])
})

test('a text repeated after the end of its message is not new', () => {
  const message = [start, delta('Hello'), end] as const
  const late = after(
    ...message,
    { type: 'text-end', content: 'Hello' },
    { type: 'message-end', content: 'Hello' },
  )
  expect(late.added).toEqual(['Hello'])
  expect(late.state.assistantTexts).toEqual(['Hello'])
})

test('text that comes only after the end of its message belongs to it', () => {
  const { state } = after(start, delta('Hello'), end, { type: 'text-end', content: 'Hello you' })
  expect(state.assistantTexts).toEqual(['Hello you'])
  expect(after(start, end, { type: 'text-end', content: 'Hi' }).state.assistantTexts).toEqual(['Hi'])
})

test('the next message may say the same again', () => {
  const message = [start, delta('Yes.'), { type: 'text-end', content: 'Yes.' }, end] as const
  const { state, added } = after(...message, ...message)
  expect(added).toEqual(['Yes.', 'Yes.'])
  expect(state.assistantTexts).toEqual(['Yes.', 'Yes.'])
})

test('a message whose text comes only with its end has that text', () => {
  expect(after(start, { type: 'message-end', content: 'All at once' }).state.assistantTexts).toEqual([
    'All at once',
  ])
})

test('a message without text leaves no text', () => {
  expect(after(start, end, start, delta('Hi'), end).state.assistantTexts).toEqual(['Hi'])
})

test('the index of a message is that of its text, before its end and after', () => {
  const first = after(start, delta('One'))
  expect(messageIndexOf(first.state)).toBe(0)
  expect(messageIndexOf(after(start, delta('One'), end).state)).toBe(0)
  expect(messageIndexOf(after(start, delta('One'), end, start).state)).toBe(1)
  expect(messageIndexOf(after(start, delta('One'), end, start, end).state)).toBe(1)
})

test('thinking is not part of the text, though it is repeated with it', () => {
  const full = '<think>hm</think>Yes <'
  const { state, added } = after(
    start,
    delta('<thi'),
    delta('nk>hm</think>Y'),
    { type: 'text-end', content: full },
    end,
  )
  expect(added).toEqual(['Y', 'es ', '<'])
  expect(state.assistantTexts).toEqual(['Yes <'])
  expect(state.deltaBuffer).toBe(full)
})

test('without a chunker text waits in the block buffer, which is not the delta buffer', () => {
  const { state } = after(start, delta('Hello'))
  const buffered = bufferBlock(bufferBlock(state, 'Hel'), 'lo')
  const taken = takeBlock(buffered)
  expect(taken.text).toBe('Hello')
  expect(taken.state.blockBuffer).toBe('')
  expect(taken.state.deltaBuffer).toBe('Hello')
  expect(updateReply(buffered, start).state).toMatchObject({ deltaBuffer: '', blockBuffer: 'Hello\n\n' })
})

test('tools are recorded once per call, and the last failure until the same tool succeeds', () => {
  const meta = inferToolMeta({ toolCallId: '1', toolName: 'weather', args: { city: 'Bern' } })
  const state = recordTool(recordTool(noReply, meta), meta)
  expect(state.toolMetas).toEqual([meta])
  expect(state.toolMetaById.get('1')).toEqual(meta)
  expect([...state.toolSummaryById]).toEqual(['1'])
  const call = { toolCallId: '1', toolName: 'weather' }
  const failed = recordToolEnd(state, { ...call, error: 'no such city' })
  expect(failed.lastToolError).toEqual({ ...call, message: 'no such city' })
  expect(recordToolEnd(failed, { toolCallId: '2', toolName: 'clock' }).lastToolError).toBeDefined()
  expect(recordToolEnd(failed, { toolCallId: '2', toolName: 'weather' }).lastToolError).toBeUndefined()
  expect(noReply.toolMetas).toEqual([])
})
