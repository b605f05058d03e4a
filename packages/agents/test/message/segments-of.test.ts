import { type Chunk, emptyChat, findMessage, fold, isMessageId, isRunId } from '@throughline/protocol'
import { agentEvents } from '@throughline/testing/agent/agent-events'
import { fromWire } from '@throughline/testing/http/read-chunks'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AgentEvent, MessageEnd } from '../../src/agent/agent-event.ts'
import { noSegments, type Segments, segment } from '../../src/message/segment.ts'
import { segmentsOf } from '../../src/message/segments-of.ts'

const end: MessageEnd = { type: 'end', status: 'interrupted', text: 'The server was restarted.' }

test('wherever a run was cut off, the end written from its log is the end it would have written itself', () => {
  fc.assert(
    fc.property(agentEvents, events => {
      const { segments, chunks } = play(events)
      const own = segment(segments, end).chunks
      const recovered = segment(segmentsOf(recordOf(chunks)), end).chunks
      expect(sorted(recovered)).toEqual(sorted(own))
      expect(recovered.slice(-2)).toEqual(own.slice(-2))
    }),
    { numRuns: 300 },
  )
})

test('a log that was cut between the chunks of one event has everything closed too', () => {
  fc.assert(
    fc.property(agentEvents, fc.nat(), (events, at) => {
      const { chunks } = play(events)
      const cut = chunks.slice(0, at % (chunks.length + 1))
      const recovered = segment(segmentsOf(recordOf(cut)), end).chunks
      const after = segmentsOf(recordOf([...cut, ...recovered]))
      expect([after.textId, after.reasoningId]).toEqual([undefined, undefined])
      expect([...after.calls.known.values()].filter(({ state }) => state !== 'done')).toEqual([])
    }),
    { numRuns: 300 },
  )
})

function play(events: readonly AgentEvent[]): { segments: Segments; chunks: readonly Chunk[] } {
  let segments = noSegments
  const chunks = events.flatMap(event => {
    const next = segment(segments, event)
    segments = next.segments
    return next.chunks
  })
  return { segments, chunks: fromWire(chunks) }
}

function recordOf(chunks: readonly Chunk[]) {
  const [runId, messageId] = ['run', 'answer']
  if (!isRunId(runId) || !isMessageId(messageId)) throw new TypeError('These are ids.')
  const all: readonly Chunk[] = [{ type: 'start', messageId }, ...chunks]
  const chat = all
    .map((chunk, index) => ({ seq: index + 1, runId, messageId, chunk }))
    .reduce(fold, emptyChat())
  const record = findMessage(chat, messageId)
  if (record === undefined) throw new TypeError('The start brings the message.')
  return record
}

// Tools are closed in the order of their calls or of their parts; either is good.
function sorted(chunks: readonly Chunk[]): readonly string[] {
  return chunks.map(chunk => JSON.stringify(chunk)).sort()
}
