import { type Chunk, emptyChat, findMessage, fold } from '@throughline/protocol'
import { weatherCall } from '@throughline/testing/agent/scripted-agent'
import { fromWire, readAsFold, readAsStock } from '@throughline/testing/http/read-chunks'
import { entriesOf } from '@throughline/testing/log/entries-of'
import { validateUIMessages } from 'ai'
import { describe, expect, test } from 'vitest'
import type { AgentEvent, MessageEnd } from '../../src/agent/agent-event.ts'
import { noSegments, segment } from '../../src/message/segment.ts'
import { segmentsOf } from '../../src/message/segments-of.ts'

const call = weatherCall('call')
const called: AgentEvent = { type: 'tool-call', ...call }
const asked: AgentEvent = { type: 'tool-approval-request', toolCallId: 'call', approvalId: 'approval' }
const answered = (approved: boolean): AgentEvent => {
  return { type: 'tool-approval-response', toolCallId: 'call', approvalId: 'approval', approved }
}
const failed: AgentEvent = { type: 'tool-error', ...call, errorText: 'It broke.' }
const result: AgentEvent = { type: 'tool-result', ...call, output: 'clear' }
const stopped: MessageEnd = { type: 'end', status: 'stopped', text: 'Stopped.' }

const ways: readonly (readonly [string, readonly AgentEvent[], string])[] = [
  ['nobody has answered', [called, asked], 'output-denied'],
  ['a person has said no', [called, asked, answered(false)], 'output-denied'],
  [
    'it was denied',
    [called, asked, answered(false), { type: 'tool-denied', toolCallId: 'call' }],
    'output-denied',
  ],
  ['it broke while it waited', [called, asked, failed], 'output-denied'],
  ['a person has said yes', [called, asked, answered(true)], 'output-error'],
  ['it broke after a yes', [called, asked, answered(true), failed], 'output-error'],
  ['it has a result', [called, asked, answered(true), result], 'output-available'],
]

describe('a call that asked for approval, when the run is stopped and', () => {
  test.each(ways)('%s, is a part that every reader takes', async (_, events, state) => {
    const chunks = [...chunksOf(events), ...segment(segmentsAfter(events), stopped).chunks]
    await expectTaken([{ type: 'start' }, ...chunks], state)
  })

  test.each(ways)('%s, is the same after a restart', async (_, events, state) => {
    const begun: readonly Chunk[] = [{ type: 'start', messageId: 'answer' }, ...chunksOf(events)]
    const record = findMessage(entriesOf(begun, { messageId: 'answer' }).reduce(fold, emptyChat()), 'answer')
    if (record === undefined) throw new Error('The message is not there.')
    await expectTaken([...begun, ...segment(segmentsOf(record), stopped).chunks], state)
  })
})

async function expectTaken(chunks: readonly Chunk[], state: string): Promise<void> {
  const message = readAsFold(chunks)
  expect(message.parts).toMatchObject([{ toolCallId: 'call', state }])
  await validateUIMessages({ messages: [message] })
  const stock = await readAsStock(chunks)
  expect(stock.errors).toEqual([])
  expect(fromWire(stock.message?.parts)).toEqual(fromWire(message.parts))
}

function chunksOf(events: readonly AgentEvent[]): readonly Chunk[] {
  return events.flatMap((event, index) => segment(segmentsAfter(events.slice(0, index)), event).chunks)
}

function segmentsAfter(events: readonly AgentEvent[]) {
  return events.reduce((segments, event) => segment(segments, event).segments, noSegments)
}
