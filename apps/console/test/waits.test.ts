import type { Message, ToolPart } from '@throughline/protocol'
import { expect, test } from 'vitest'
import { type Wait, waitsOf } from '../src/messages/tail.tsx'

const tool = (state: ToolPart['state'], more: Partial<ToolPart> = {}): ToolPart => ({
  type: 'tool-weather',
  toolCallId: 'call',
  state,
  ...more,
})
const answer = (parts: Message['parts'], status: 'streaming' | 'finished' = 'streaming'): Message => ({
  id: 'answer',
  role: 'assistant',
  metadata: { status },
  parts,
})
const delegation = tool('input-available', { type: 'tool-subAgent' })
const researcher = (parts: Message['parts']): Message => ({
  id: 'researcher',
  role: 'assistant',
  metadata: {
    status: 'streaming',
    senderName: 'Researcher',
    parent: { messageId: 'answer', toolCallId: 'call' },
  },
  parts,
})

function waits(message: Message, subAgents: readonly Message[] = [], closedCard = ''): readonly Wait[] {
  return waitsOf({ message, subAgents, versions: [] }, id => (id === closedCard ? false : undefined))
}

test('an answer waits for its model, a tool, or a person, and for nothing when it has ended', () => {
  expect(waits(answer([]))).toEqual([{ type: 'model', names: [] }])
  expect(waits(answer([tool('output-available')]))).toEqual([{ type: 'model', names: [] }])
  expect(waits(answer([tool('input-available', { title: 'Weather' })]))).toEqual([
    { type: 'tool', names: ['Weather'] },
  ])
  expect(waits(answer([tool('approval-requested')]))).toEqual([{ type: 'approval', names: ['weather'] }])
  expect(waits(answer([tool('input-available')], 'finished'))).toEqual([])
})

test('a text that is being written moves, in the answer and in a sub-agent', () => {
  const text = { type: 'text', text: 'I', state: 'streaming' } as const
  expect(waits(answer([text]))).toEqual([{ type: 'writing', names: [] }])
  expect(waits(answer([delegation]), [researcher([text])])).toEqual([
    { type: 'writing', names: ['Researcher'] },
  ])
  // The person has closed the card, so they see nothing move.
  expect(waits(answer([delegation]), [researcher([text])], 'answer 0')).toEqual([
    { type: 'sub-agent', names: ['Researcher'] },
  ])
})

test('what a sub-agent waits for is named after the sub-agent', () => {
  expect(waits(answer([delegation]), [researcher([])])).toEqual([{ type: 'model', names: ['Researcher'] }])
  expect(waits(answer([delegation]), [researcher([tool('input-available')])])).toEqual([
    { type: 'tool', names: ['Researcher', 'weather'] },
  ])
})
