import type { AgentEvent, MessageEnd } from '@throughline/agents'
import { segment } from '@throughline/agents/internal'
import { createSteps, noSegments, type StepClock } from '@throughline/agents/testing'
import { type Chunk, type Entry, isChatId, type QueryEvent, textOf } from '@throughline/protocol'
import { agentEvents, messageEnd } from '@throughline/testing/agent/agent-events'
import { finish, say, weatherCall } from '@throughline/testing/agent/scripted-agent'
import { ofType, timeless } from '@throughline/testing/http/query-requests'
import { fromWire, readAsFold } from '@throughline/testing/http/read-chunks'
import { entryOf, messageIdOf, runIdOf } from '@throughline/testing/log/entries-of'
import { idOf } from '@throughline/testing/log/id-of'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type QueryLevel, QueryProjection } from '../../src/stream/events/query-projection.ts'
import { isOfRun } from '../../src/stream/run-pages.ts'

const run = { id: runIdOf('run'), chatId: idOf(isChatId, 'chat'), answerId: messageIdOf('answer') }
const done: MessageEnd = { type: 'end', status: 'finished' }

describe('whatever agents do', () => {
  // A master, and a sub-agent whose chunks come between the master's own.
  const story = fc
    .record({
      events: agentEvents,
      end: messageEnd,
      childEvents: agentEvents,
      mix: fc.infiniteStream(fc.boolean()),
    })
    .map(({ events, end, childEvents, mix }) => {
      const clock = countingClock()
      const chunks = chunksOf(events, end, { clock })
      const child = chunksOf(childEvents, done, { clock, prefix: '1:' })
      return { end, answer: readAsFold(chunks), entries: mixed(chunks, child, mix) }
    })

  test('the deltas strung together, the parts with blank lines between, and the saved text are one', () => {
    fc.assert(
      fc.property(story, ({ end, answer, entries }) => {
        const deltas = eventsOf(entries, 'delta')
        const parts = eventsOf(entries, 'step')
        const text = textOf(answer)
        expect(
          ofType(deltas, 'text_delta')
            .map(({ delta }) => delta)
            .join(''),
        ).toBe(text)
        expect(
          ofType(parts, 'text')
            .map(({ content }) => content)
            .join('\n\n'),
        ).toBe(text)
        const isFinal = end.status !== 'failed' && end.status !== 'interrupted'
        for (const events of [deltas, parts]) {
          expect(ofType(events, 'final').map(({ content }) => content)).toEqual(isFinal ? [text] : [])
        }
      }),
      { numRuns: 500 },
    )
  })

  test('there is one end, and after it only the usage, whatever else is in the log', () => {
    fc.assert(
      fc.property(story, ({ entries }) => {
        const events = eventsOf([...entries, ...entries], 'delta')
        const ends = events.filter(({ type }) => type === 'final' || type === 'error')
        expect(ends).toEqual([events.at(-2)])
        expect(ofType(events, 'usage')).toEqual([events.at(-1)])
      }),
      { numRuns: 300 },
    )
  })

  test('every call has one result, every step one end, and each comes after its beginning', () => {
    fc.assert(
      fc.property(story, ({ entries }) => {
        const open = new Set<string>()
        const begun = new Set<string>()
        for (const event of eventsOf(entries, 'delta')) {
          const id = idIn(event)
          if (event.type === 'tool_call' || event.type === 'step_start') {
            expect(begun).not.toContain(id)
            open.add(id)
            begun.add(id)
          }
          if (event.type === 'tool_result' || event.type === 'step_complete')
            expect(open.delete(id)).toBe(true)
        }
        expect([...open]).toEqual([])
      }),
      { numRuns: 300 },
    )
  })

  test('both levels tell the same of everything but text', () => {
    fc.assert(
      fc.property(story, ({ entries }) => {
        const rest = (level: QueryLevel) =>
          eventsOf(entries, level).filter(({ type }) => !type.startsWith('text'))
        expect(rest('delta')).toEqual(rest('step'))
      }),
      { numRuns: 300 },
    )
  })

  test('entries of other runs change nothing', () => {
    fc.assert(
      fc.property(story, story, ({ entries }, other) => {
        const strangers = other.entries.map(entry => ({ ...entry, runId: runIdOf('another') }))
        expect(eventsOf([...strangers, ...entries], 'delta')).toEqual(eventsOf(entries, 'delta'))
      }),
      { numRuns: 100 },
    )
  })
})

describe('a tool call', () => {
  test('that takes no object has arguments all the same', () => {
    const inputs = [{ city: 'Lisbon' }, 'Lisbon', ['Lisbon'], null, undefined]
    const calls = inputs.map((input, index): AgentEvent => {
      return { type: 'tool-call', toolCallId: `${index}`, toolName: 'weather', input }
    })
    expect(ofType(told(calls), 'tool_call').map(({ args }) => args)).toEqual([
      { city: 'Lisbon' },
      { input: 'Lisbon' },
      { input: ['Lisbon'] },
      {},
      {},
    ])
  })

  test('has a text as its result, whatever it answers', () => {
    const outputs = ['plain', { sky: 'clear' }, [1], 7, true, null, undefined]
    const results = outputs.map((output, index): AgentEvent => {
      return { type: 'tool-result', ...weatherCall(`${index}`), output }
    })
    expect(ofType(told(results), 'tool_result').map(({ result }) => result)).toEqual([
      'plain',
      '{"sky":"clear"}',
      '[1]',
      '7',
      'true',
      'null',
      'null',
    ])
  })

  test('keeps the title that its beginning had', () => {
    const { input: _, ...started } = { ...weatherCall(), title: 'Look outside' }
    const events = told([
      { type: 'tool-input-start', ...started },
      { type: 'tool-call', ...weatherCall() },
    ])
    expect(ofType(events, 'tool_call')).toMatchObject([{ display_name: 'Look outside' }])
  })

  test('that cannot be carried out is told of with its error', () => {
    const events = told([
      { type: 'tool-call-invalid', ...weatherCall(), errorText: 'There is no such tool.' },
    ])
    expect(timeless(events.slice(0, 2))).toMatchObject([
      { type: 'tool_call', tool: 'weather', args: { city: 'Lisbon' } },
      { type: 'tool_result', tool: 'weather', is_error: true, result: 'There is no such tool.' },
    ])
  })

  test('whose input never arrived in full is not told of', () => {
    const { input: _, ...started } = weatherCall()
    const events = told([say('Hm.'), { type: 'tool-input-start', ...started }, finish])
    expect(events.map(({ type }) => type)).toEqual(['text_delta', 'final', 'usage'])
  })

  test('that nobody allowed says so, also without a reason', () => {
    const asked = { toolCallId: 'call-1', approvalId: 'approval' }
    const denied = (reason?: string) =>
      told([
        { type: 'tool-call', ...weatherCall() },
        { type: 'tool-approval-request', ...asked },
        { type: 'tool-approval-response', ...asked, approved: false, reason },
        { type: 'tool-denied', toolCallId: 'call-1' },
      ])
    expect(ofType(denied(), 'tool_result')).toMatchObject([
      { is_error: true, result: 'This call was not allowed.' },
    ])
    expect(ofType(denied('No.'), 'tool_result')).toMatchObject([
      { is_error: true, result: 'Not allowed: No.' },
    ])
  })

  test('that somebody allowed has its own result', () => {
    const asked = { toolCallId: 'call-1', approvalId: 'approval' }
    const events = told([
      { type: 'tool-call', ...weatherCall() },
      { type: 'tool-approval-request', ...asked },
      { type: 'tool-approval-response', ...asked, approved: true },
      { type: 'tool-result', ...weatherCall(), output: 'clear' },
    ])
    expect(ofType(events, 'tool_result')).toMatchObject([{ is_error: false, result: 'clear' }])
  })
})

/** The events of an answer in which this happens. */
function told(events: readonly AgentEvent[]): readonly QueryEvent[] {
  const chunks = chunksOf(events, done, { clock: countingClock() })
  return eventsOf(mixed(chunks, [], [][Symbol.iterator]()), 'delta')
}

function eventsOf(entries: readonly Entry[], level: QueryLevel): readonly QueryEvent[] {
  const projection = new QueryProjection({ run, level })
  return entries.filter(entry => isOfRun(entry, run)).flatMap(entry => projection.write(entry))
}

interface Writing {
  readonly clock: StepClock
  readonly prefix?: string
}

/** What an agent's message is in the log, its beginning left out. */
function chunksOf(
  events: readonly AgentEvent[],
  end: MessageEnd,
  { clock, prefix = '' }: Writing,
): readonly Chunk[] {
  const steps = createSteps(clock)
  let segments = { ...noSegments, calls: { ...noSegments.calls, prefix } }
  const chunks = [...events, end].flatMap(event => {
    const next = segment(segments, event)
    segments = next.segments
    return steps.around(next.chunks)
  })
  return fromWire<readonly Chunk[]>([{ type: 'start' }, ...chunks])
}

/** Entries of an answer and of a sub-agent's message, which ends before the answer does. */
function mixed(chunks: readonly Chunk[], child: readonly Chunk[], mix: Iterator<boolean>): readonly Entry[] {
  const [own, others] = [[...chunks], [...child]]
  const entries: Entry[] = []
  for (;;) {
    const isChild = others.length > 0 && (own.length === 1 || mix.next().value === true)
    const chunk = isChild ? others.shift() : own.shift()
    if (chunk === undefined) return entries
    entries.push(entryOf(chunk, { messageId: isChild ? 'child' : 'answer', seq: entries.length + 1 }))
  }
}

function countingClock(): StepClock {
  let count = 0
  return { now: () => new Date(0), nextStep: () => ++count }
}

function idIn(event: QueryEvent): string {
  if ('tool_call_id' in event) return `call ${event.tool_call_id}`
  return 'step_id' in event ? `step ${event.step_id}` : ''
}
