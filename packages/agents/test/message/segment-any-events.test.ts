import { type Chunk, isEndChunk, isToolPart, type Message } from '@throughline/protocol'
import { agentEvents, messageEnd } from '@throughline/testing/agent/agent-events'
import { fromWire, readAsFold, readAsStock } from '@throughline/testing/http/read-chunks'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AgentEvent, MessageEnd } from '../../src/agent/agent-event.ts'
import { noSegments, segment } from '../../src/message/segment.ts'

// Whatever an agent does, in whatever order.
const story = fc
  .tuple(agentEvents, messageEnd)
  .map(([events, end]) => ({ events, chunks: chunksOf(events, end) }))

test('the stock reader accepts the chunks of any events, and reads what our fold reads', async () => {
  await fc.assert(
    fc.asyncProperty(story, async ({ chunks }) => {
      const { message, errors } = await readAsStock(chunks)
      expect(errors).toHaveLength(chunks.filter(({ type }) => type === 'error').length)
      expect(fromWire(readAsFold(chunks))).toEqual(fromWire(message))
    }),
    { numRuns: 300 },
  )
})

test('after the end of any events nothing is left open', () => {
  fc.assert(
    fc.property(story, ({ chunks }) => {
      const { parts } = readAsFold(chunks)
      expect(parts.filter(part => 'state' in part && part.state === 'streaming')).toEqual([])
      const ends = ['output-available', 'output-error']
      const unfinished = parts.filter(isToolPart).filter(({ state, preliminary }) => {
        return preliminary === true || !ends.includes(state)
      })
      expect(unfinished).toEqual([])
    }),
    { numRuns: 500 },
  )
})

test('all text and all reasoning of any events is there, in order', () => {
  fc.assert(
    fc.property(story, ({ events, chunks }) => {
      const message = readAsFold(chunks)
      expect(joined(message, 'text')).toBe(events.map(textIn).join(''))
      expect(joined(message, 'reasoning')).toBe(events.map(reasoningIn).join(''))
    }),
    { numRuns: 300 },
  )
})

test('no text and no reasoning of any events goes on across a tool call, a step or each other', () => {
  fc.assert(
    fc.property(story, ({ chunks }) => {
      let open: string | undefined
      for (const chunk of chunks) {
        const [kind, phase] = chunk.type.split('-')
        if (kind === 'text' || kind === 'reasoning') {
          if (!('id' in chunk)) continue
          expect(open).toBe(phase === 'start' ? undefined : chunk.id)
          open = phase === 'end' ? undefined : chunk.id
        } else if (/^(tool-input-(start|available|error)|.*step|source.*|file)$/.test(chunk.type)) {
          expect(open).toBeUndefined()
        }
      }
    }),
    { numRuns: 300 },
  )
})

test('no id of a part is used twice, whatever ids the events use', () => {
  fc.assert(
    fc.property(story, ({ chunks }) => {
      const started = chunks.flatMap(chunk =>
        chunk.type === 'text-start' || chunk.type === 'reasoning-start' ? [chunk.id] : [],
      )
      const calls = readAsFold(chunks)
        .parts.filter(isToolPart)
        .map(part => part.toolCallId)
      expect(started).toEqual([...new Set(started)])
      expect(calls).toEqual([...new Set(calls)])
    }),
    { numRuns: 500 },
  )
})

test('any events have exactly one end, and it is last', () => {
  fc.assert(
    fc.property(story, ({ chunks }) => {
      expect(chunks.map(isEndChunk).indexOf(true)).toBe(chunks.length - 1)
    }),
  )
})

function chunksOf(events: readonly AgentEvent[], end: MessageEnd): readonly Chunk[] {
  const chunks: Chunk[] = [{ type: 'start', messageId: 'answer' }]
  let segments = noSegments
  for (const event of [...events, end]) {
    const next = segment(segments, event)
    segments = next.segments
    chunks.push(...next.chunks)
  }
  return chunks
}

function joined(message: Message, type: 'text' | 'reasoning'): string {
  return message.parts.map(part => (part.type === type ? part.text : '')).join('')
}

function textIn(event: AgentEvent): string {
  if (event.type === 'text-delta') return event.text
  return event.type === 'content' ? (event.text ?? '') : ''
}

function reasoningIn(event: AgentEvent): string {
  if (event.type === 'reasoning-delta') return event.text
  return event.type === 'content' ? (event.reasoning ?? '') : ''
}
