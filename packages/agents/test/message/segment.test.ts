import { type Chunk, isToolPart } from '@throughline/protocol'
import { say, weatherCall } from '@throughline/testing/agent/scripted-agent'
import { readAsFold } from '@throughline/testing/http/read-chunks'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AgentEvent, MessageEnd } from '../../src/agent/agent-event.ts'
import { noSegments, segment } from '../../src/message/segment.ts'

const call = weatherCall('call')
const called: AgentEvent = { type: 'tool-call', ...call }
const result: AgentEvent = { type: 'tool-result', ...call, output: 'clear' }
const stepStart: AgentEvent = { type: 'step-start' }
const finished: MessageEnd = { type: 'end', status: 'finished', finishReason: 'stop' }
const stopped: MessageEnd = { type: 'end', status: 'stopped', text: 'Stopped by the user.' }

describe('text and reasoning', () => {
  test('the same text id around a tool call is two parts with the tool between them', () => {
    expect(outline(say('Before.'), called, result, say('After.'))).toEqual([
      'text Before.',
      'weather output-available',
      'text After.',
    ])
  })

  test('parts stand in the order in which they happened', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('text', 'reasoning', 'weather', 'step'), { maxLength: 20 }),
        kinds => {
          const events = kinds.map((kind, index) => eventOf(kind, `${index}`))
          const parts = kinds.filter((kind, index) => !isContinued(kind, kinds[index - 1]))
          const lines = outline(...events, finished)
          expect(lines.map(line => line.split(' ')[0])).toEqual(parts)
        },
      ),
    )
  })

  test('the deltas of one segment share one id, and the next segment has another', () => {
    const chunks = chunksOf(say('a'), say('b'), called, say('c'))
    const ids = chunks.flatMap(chunk => (chunk.type === 'text-delta' ? [chunk.id] : []))
    expect(ids).toEqual(['text-1', 'text-1', 'text-2'])
  })

  test.each<AgentEvent>([{ type: 'response-done' }, { type: 'finish', finishReason: 'stop' }])(
    '$type closes what is open',
    event => {
      expect(chunksOf(say('a'), event).at(-1)).toEqual({ type: 'text-end', id: 'text-1' })
      expect(chunksOf({ type: 'reasoning-delta', text: 'a' }, event).at(-1)).toEqual({
        type: 'reasoning-end',
        id: 'reasoning-1',
      })
    },
  )

  test('an empty delta opens nothing', () => {
    expect(chunksOf(say(''), { type: 'reasoning-delta', text: '' })).toEqual([])
  })

  test('an event for the page does not interrupt a text', () => {
    expect(outline(say('a'), { type: 'ui-event', data: 1 }, say('b'))).toEqual(['text ab'])
  })

  test('one event with several things shows reasoning, then tool calls, then text', () => {
    const content: AgentEvent = { type: 'content', text: 'Done.', toolCalls: [call], reasoning: 'Hm.' }
    expect(outline(content, result)).toEqual(['reasoning Hm.', 'weather output-available', 'text Done.'])
  })
})

describe('snapshots of text', () => {
  const snapshot = (text: string): AgentEvent => ({ type: 'text-snapshot', text })

  test('a snapshot adds only what is new in it', () => {
    expect(outline(snapshot('One'), snapshot('One two'), snapshot('One two'))).toEqual(['text One two'])
  })

  test('a snapshot that repeats a part of the text adds nothing', () => {
    expect(outline(say('One two three'), snapshot('One'), snapshot('two'))).toEqual(['text One two three'])
  })

  test('a snapshot of other text is appended', () => {
    expect(outline(say('One. '), snapshot('Two.'))).toEqual(['text One. Two.'])
  })

  test('a snapshot after a tool call goes on where the text before the call ended', () => {
    expect(outline(say('Before. '), called, result, snapshot('Before. After.'))).toEqual([
      'text Before. ',
      'weather output-available',
      'text After.',
    ])
  })

  test('a new step begins a new text, also when it says the same again', () => {
    expect(outline(snapshot('Yes.'), stepStart, snapshot('Yes.'))).toEqual(['text Yes.', 'step', 'text Yes.'])
  })

  test('growing snapshots, repeated or mixed with deltas, give the text once', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', minLength: 1 })),
        fc.infiniteStream(fc.boolean()),
        (pieces, isDelta) => {
          let whole = ''
          const events = pieces.flatMap(piece => {
            whole += piece
            const [asDelta = false, isRepeated = false] = isDelta.take(2)
            const event = asDelta ? say(piece) : snapshot(whole)
            return isRepeated ? [event, snapshot(whole)] : [event]
          })
          expect(outline(...events)).toEqual(whole === '' ? [] : [`text ${whole}`])
        },
      ),
    )
  })
})

describe('tools', () => {
  test('a result whose call was never seen gets its call first', () => {
    expect(chunksOf(result).map(({ type }) => type)).toEqual([
      'tool-input-available',
      'tool-output-available',
    ])
  })

  test.each<AgentEvent>([
    result,
    { ...result, output: 'rain' },
    { type: 'tool-error', ...call, errorText: 'late' },
    { type: 'tool-progress', ...call, output: 'late' },
  ])('after its result a call takes no other: $type', late => {
    expect(chunksOf(called, result, late)).toEqual(chunksOf(called, result))
  })

  test.each<AgentEvent>([
    called,
    { type: 'tool-input-start', ...call },
    { type: 'content', toolCalls: [call] },
  ])('a call that comes again while its tool is at work changes nothing: $type', again => {
    const progress: AgentEvent = { type: 'tool-progress', ...call, output: '1 of 2' }
    expect(chunksOf(called, progress, again)).toEqual(chunksOf(called, progress))
    expect(outline(called, stepStart, again, result)).toEqual(['weather output-available', 'step'])
  })

  test('an input that is begun again while it streams goes on as one part', () => {
    const begun: AgentEvent = { type: 'tool-input-start', ...call }
    const half: AgentEvent = { type: 'tool-input-delta', toolCallId: 'call', text: '{"city":' }
    const rest: AgentEvent = { type: 'tool-input-delta', toolCallId: 'call', text: '"Lisbon"}' }
    expect(chunksOf(begun, half, begun, rest, called)).toEqual(chunksOf(begun, half, rest, called))
    expect(chunksOf(begun, say('a'), begun, say('b'))).toEqual(chunksOf(begun, say('a'), say('b')))
  })

  test('a second call under the id of a finished one is another part', () => {
    const rain: AgentEvent = { type: 'tool-result', ...call, output: 'rain' }
    const { parts } = readAsFold(withStart(chunksOf(called, result, called, rain)))
    expect(parts).toMatchObject([{ output: 'clear' }, { output: 'rain' }])
    expect(new Set(parts.filter(isToolPart).map(part => part.toolCallId)).size).toBe(2)
  })

  test('an id made for a second call is not given to the call that has it as its own', () => {
    const own: AgentEvent = { type: 'tool-call', ...weatherCall('call-2') }
    const { parts } = readAsFold(withStart(chunksOf(called, result, called, result, own)))
    expect(parts).toMatchObject([{}, { toolCallId: 'call-2' }, { toolCallId: 'call-2-2' }])
  })

  test('input that was never completed is closed when the next step begins', () => {
    const started: AgentEvent = { type: 'tool-input-start', toolCallId: 'call', toolName: 'weather' }
    expect(outline(started, stepStart, called, result)).toEqual([
      'weather output-error',
      'step',
      'weather output-available',
    ])
  })

  test('a call stays the kind of tool that its input began as', () => {
    const started: AgentEvent = {
      type: 'tool-input-start',
      toolCallId: 'call',
      toolName: 'weather',
      dynamic: true,
    }
    expect(chunksOf(started, called).at(-1)).toMatchObject({ type: 'tool-input-available', dynamic: true })
  })

  test('what JSON cannot say never gets into a chunk', () => {
    const big: AgentEvent = { type: 'tool-result', ...call, input: { n: 1n }, output: [2n] }
    expect(chunksOf(big, { type: 'ui-event', data: 3n })).toMatchObject([
      { input: { n: '1' } },
      { output: ['2'] },
      { data: '3' },
    ])
  })

  test('a missing input or output is null, because JSON drops undefined', () => {
    const bare = { toolCallId: 'call', toolName: 'weather', input: undefined }
    expect(chunksOf({ type: 'tool-result', ...bare, output: undefined })).toMatchObject([
      { input: null },
      { output: null },
    ])
  })
})

describe('the end', () => {
  test('closes reasoning and text, then tools, then tells the status, then ends', () => {
    const chunks = chunksOf(called, say('Wait'), stopped)
    expect(chunks.slice(-4)).toEqual([
      { type: 'text-end', id: 'text-1' },
      { type: 'tool-output-error', toolCallId: 'call', errorText: 'Interrupted: Stopped by the user.' },
      {
        type: 'message-metadata',
        messageMetadata: { status: 'stopped', statusText: 'Stopped by the user.' },
      },
      { type: 'abort', reason: 'Stopped by the user.' },
    ])
  })

  test('a good end carries the reason and the usage', () => {
    const usage = { inputTokens: 1, outputTokens: 2, totalTokens: 3 }
    expect(chunksOf({ ...finished, usage })).toEqual([
      {
        type: 'finish',
        finishReason: 'stop',
        messageMetadata: { status: 'finished', finishReason: 'stop', usage },
      },
    ])
  })

  test('a failure ends with an error and never with a finish', () => {
    const chunks = chunksOf({ type: 'end', status: 'failed', text: 'The provider broke.' })
    expect(chunks.at(-1)).toEqual({ type: 'error', errorText: 'The provider broke.' })
    expect(chunks.map(({ type }) => type)).not.toContain('finish')
  })
})

function chunksOf(...events: readonly (AgentEvent | MessageEnd)[]): readonly Chunk[] {
  let segments = noSegments
  return events.flatMap(event => {
    const next = segment(segments, event)
    segments = next.segments
    return next.chunks
  })
}

function withStart(chunks: readonly Chunk[]): readonly Chunk[] {
  return [{ type: 'start', messageId: 'answer' }, ...chunks]
}

/** One line per part of the message. */
function outline(...events: readonly (AgentEvent | MessageEnd)[]): readonly string[] {
  return readAsFold(withStart(chunksOf(...events))).parts.map(part => {
    if (isToolPart(part)) return `${part.type.slice('tool-'.length)} ${part.state}`
    return 'text' in part ? `${part.type} ${part.text}` : part.type.replace('step-start', 'step')
  })
}

function eventOf(kind: string, id: string): AgentEvent {
  if (kind === 'text' || kind === 'reasoning') return { type: `${kind}-delta`, text: id }
  return kind === 'step' ? stepStart : { type: 'tool-result', ...weatherCall(id), output: id }
}

function isContinued(kind: string, before: string | undefined): boolean {
  return kind === before && (kind === 'text' || kind === 'reasoning')
}
