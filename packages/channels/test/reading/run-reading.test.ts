import type { Chunk, Entry } from '@throughline/protocol'
import { messageIdOf, runIdOf, userMessage } from '@throughline/testing/log/entries-of'
import { runEntries } from '@throughline/testing/log/run-entries'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ReplyEvent, type ReplyTextOptions, RunReading } from '../../src/reading/reply-text.ts'
import { endOf, LogOfRun, reason, runLog, textChunks } from '../delivery/run-log.ts'

function eventsOf(entries: readonly Entry[], options: ReplyTextOptions = {}): readonly ReplyEvent[] {
  const run = new RunReading(options)
  return entries.flatMap(entry => run.read(entry))
}

function textOf(events: readonly ReplyEvent[]): string {
  return events.map(event => (event.type === 'text' ? event.text : '')).join('')
}

function started(): LogOfRun {
  return new LogOfRun()
    .add('in_m1', userMessage('in_m1', 'Hello?'))
    .add('answer', { type: 'start', messageId: 'answer' })
}

const call: Chunk = {
  type: 'tool-input-available',
  toolCallId: 'call-1',
  toolName: 'weather',
  input: { city: 'Lisbon' },
}

test('a run begins with whom it answers, then says its text piece by piece, and ends where its log does', () => {
  const entries = runLog([{ type: 'text', pieces: ['Clear ', 'sky.'] }])
  expect(eventsOf(entries)).toEqual([
    { type: 'start', runId: 'run', userMessageId: 'in_m1' },
    { type: 'text', text: 'Clear ' },
    { type: 'text', text: 'sky.' },
    { type: 'end', status: 'finished', text: undefined, seq: entries.length },
  ])
})

test('parts of a text are a blank line apart, whatever came between them', () => {
  const entries = runLog([
    { type: 'text', pieces: ['One.'] },
    { type: 'tool', toolCallId: 'call-1' },
    { type: 'text', pieces: ['Two.'] },
    { type: 'text', pieces: ['', 'Three.'] },
    { type: 'file', url: 'data:,' },
    { type: 'text', pieces: [] },
    { type: 'text', pieces: ['Four.'] },
  ])
  expect(textOf(eventsOf(entries))).toBe('One.\n\nTwo.\n\nThree.\n\nFour.')
})

test('a text that comes first stands behind nothing', () => {
  const log = started().add('answer', call, ...textChunks('t', ['Clear.']))
  expect(textOf(eventsOf(log.entries))).toBe('Clear.')
})

test('what the model thinks, where it looked and how its tools went is not for people in channels', () => {
  const log = started().add(
    'answer',
    { type: 'start-step' },
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'Hm.' },
    { type: 'reasoning-end', id: 'r' },
    { type: 'tool-input-start', toolCallId: 'call-1', toolName: 'weather' },
    { type: 'tool-input-delta', toolCallId: 'call-1', inputTextDelta: '{}' },
    { type: 'tool-output-available', toolCallId: 'call-1', output: 'clear' },
    { type: 'source-url', sourceId: 's', url: 'https://example.com' },
    { type: 'data-ui-event', data: {}, transient: true },
    { type: 'finish-step' },
    ...endOf('finished'),
  )
  expect(eventsOf(log.entries).map(({ type }) => type)).toEqual(['start', 'end'])
})

test('a tool is told by its title, or else by its name, and a file by its address', () => {
  const file: Chunk = { type: 'file', url: '/api/chats/c/files/f', mediaType: 'image/png' }
  const log = started().add('answer', call, { ...call, toolCallId: 'call-2', title: 'The weather' }, file)
  expect(eventsOf(log.entries).slice(1)).toEqual([
    { type: 'tool', toolCallId: 'call-1', name: 'weather', input: { city: 'Lisbon' } },
    { type: 'tool', toolCallId: 'call-2', name: 'The weather', input: { city: 'Lisbon' } },
    { type: 'file', url: '/api/chats/c/files/f' },
  ])
})

describe('an end', () => {
  test.each(['stopped', 'failed', 'interrupted', 'limit'] as const)('that is %s says why', status => {
    expect(eventsOf(runLog([], status)).at(-1)).toMatchObject({ type: 'end', status, text: reason })
  })

  test.each([
    [{ type: 'error', errorText: 'Broken.' } as const, 'failed', 'Broken.'],
    [{ type: 'abort', reason: 'Enough.' } as const, 'stopped', undefined],
    [{ type: 'finish' } as const, 'finished', undefined],
  ])('without metadata is known by its chunk: %j', (chunk, status, text) => {
    expect(eventsOf(started().add('answer', chunk).entries).at(-1)).toMatchObject({ status, text })
  })

  test('is the last that is heard: what follows is another run’s', () => {
    const entries = runLog([{ type: 'text', pieces: ['Clear.'] }])
    const next = runLog([{ type: 'text', pieces: ['Cloudy.'] }]).map(entry => {
      const id = `next-${entry.messageId}`
      return { ...entry, seq: entry.seq + entries.length, runId: runIdOf('next'), messageId: messageIdOf(id) }
    })
    for (const isWithSubAgents of [false, true])
      expect(eventsOf([...entries, ...next], { isWithSubAgents })).toEqual(eventsOf(entries))
  })

  test('of a sub-agent is not the end of the run', () => {
    const log = started()
      .add('sub-agent', { type: 'start', messageId: 'sub-agent' }, ...endOf('failed'))
      .add('answer', ...textChunks('t', ['Clear.']), ...endOf('finished'))
    const events = eventsOf(log.entries)
    expect(textOf(events)).toBe('Clear.')
    expect(events.at(-1)).toMatchObject({ type: 'end', status: 'finished', text: undefined })
  })
})

test('an answer that nobody asked for now, such as another one, answers no message', () => {
  const log = new LogOfRun().add('answer', { type: 'start', messageId: 'answer' }, ...endOf('finished'))
  expect(eventsOf(log.entries)[0]).toEqual({ type: 'start', runId: 'run', userMessageId: undefined })
})

describe('sub-agents', () => {
  const log = started()
    .add('answer', ...textChunks('t1', ['I will ask.']), call)
    .add(
      'sub-agent',
      { type: 'start', messageId: 'sub-agent' },
      ...textChunks('t1', ['Look', 'ing.']),
      { ...call, toolCallId: 'child-call' },
      ...endOf('finished'),
    )
    .add('answer', ...textChunks('t2', ['It is clear.']), ...endOf('finished'))

  test('are not heard unless they are asked for', () => {
    const events = eventsOf(log.entries)
    expect(textOf(events)).toBe('I will ask.\n\nIt is clear.')
    expect(events.filter(({ type }) => type === 'tool')).toHaveLength(1)
  })

  test('are heard in their place, with their tools', () => {
    const events = eventsOf(log.entries, { isWithSubAgents: true })
    expect(textOf(events)).toBe('I will ask.\n\nLooking.\n\nIt is clear.')
    expect(events.flatMap(event => (event.type === 'tool' ? [event.toolCallId] : []))).toEqual([
      'call-1',
      'child-call',
    ])
  })

  test('that write at the same time speak one after the other, each in whole texts', () => {
    const start = (id: string): Chunk => ({ type: 'text-start', id })
    const delta = (text: string): Chunk => ({ type: 'text-delta', id: 't', delta: text })
    const end: Chunk = { type: 'text-end', id: 't' }
    const both = started()
      .add('ann', { type: 'start', messageId: 'ann' }, start('t'), delta('Cle'))
      .add('bob', { type: 'start', messageId: 'bob' }, start('t'), delta('Clo'))
      .add('ann', delta('ar in '))
      .add('bob', delta('udy.'), end, { ...call, toolCallId: 'bob-call' }, start('t'), delta('And '))
      .add('ann', delta('Lisbon.'), end, ...endOf('finished'))
      .add('bob', delta('cold.'), end, ...endOf('finished'))
      .add('answer', ...endOf('finished'))
    const events = eventsOf(both.entries, { isWithSubAgents: true })
    expect(textOf(events)).toBe('Clear in Lisbon.\n\nCloudy.\n\nAnd cold.')
    const spoken = events.map(event => (event.type === 'text' ? event.text.trim() : event.type))
    expect(spoken.indexOf('tool')).toBeGreaterThan(spoken.indexOf('udy.'))
    expect(spoken.indexOf('tool')).toBeLessThan(spoken.indexOf('And'))
  })

  test('that were cut off in the middle of their texts are still heard, before the end', () => {
    const open: readonly Chunk[] = [
      { type: 'text-start', id: 't' },
      { type: 'text-delta', id: 't', delta: 'On' },
    ]
    const cut = started()
      .add('ann', { type: 'start', messageId: 'ann' }, ...open)
      .add('bob', { type: 'start', messageId: 'bob' }, ...open)
      .add('eve', { type: 'start', messageId: 'eve' }, ...open)
      .add('answer', ...endOf('interrupted'))
    const events = eventsOf(cut.entries, { isWithSubAgents: true })
    expect(textOf(events)).toBe('On\n\nOn\n\nOn')
    expect(events.at(-1)?.type).toBe('end')
  })
})

describe('a call that waits for a person', () => {
  const request: Chunk = { type: 'tool-approval-request', toolCallId: 'call-1', approvalId: 'approval-1' }
  const response: Chunk = {
    type: 'tool-approval-response',
    approvalId: 'approval-1',
    approved: false,
    reason: 'No.',
  }
  const approval = {
    id: 'approval-1',
    toolName: 'weather',
    input: '{"city":"Lisbon"}',
    isInputCut: false,
    agent: undefined,
  }
  const agent = { kind: 'sub', name: 'reader', displayName: 'The reader', depth: 1, path: [] } as const

  function approvalsIn(log: LogOfRun) {
    return eventsOf(log.entries).filter(({ type }) => type === 'approval')
  }

  test('is told with its tool and its arguments, and later with what became of it', () => {
    const log = started().add('answer', call, request, response)
    expect(approvalsIn(log)).toEqual([
      { type: 'approval', approval, isTextOpen: false },
      {
        type: 'approval',
        approval: { ...approval, outcome: { approved: false, reason: 'No.' } },
        isTextOpen: false,
      },
    ])
  })

  test('is told also when it is a sub-agent’s, with its name, and others speak', () => {
    const log = started()
      .add('answer', { type: 'text-start', id: 't' }, { type: 'text-delta', id: 't', delta: 'One mo' })
      .add('sub-agent', {
        type: 'start',
        messageId: 'sub-agent',
        messageMetadata: { agent: { ...agent, path: [] } },
      })
      .add('sub-agent', call, request)
      .add('answer', { type: 'text-delta', id: 't', delta: 'ment.' })
    expect(approvalsIn(log)).toEqual([
      { type: 'approval', approval: { ...approval, agent: 'The reader' }, isTextOpen: true },
    ])
    for (const isWithSubAgents of [true, false]) {
      const types = eventsOf(log.entries, { isWithSubAgents }).map(({ type }) => type)
      expect(types.filter(type => type !== 'tool')).toEqual(['start', 'text', 'approval', 'text'])
    }
  })

  test('is told by the tool’s own name, which nobody else can choose', () => {
    const log = started().add('answer', { ...call, title: 'A harmless thing' }, request)
    expect(approvalsIn(log)).toMatchObject([{ approval: { toolName: 'weather' } }])
  })

  test('has only so much of its arguments', () => {
    const long = { ...call, input: { text: '😀'.repeat(10_000) } }
    const [event] = approvalsIn(started().add('answer', long, request))
    expect(event).toMatchObject({ approval: { isInputCut: true } })
    if (event?.type !== 'approval') throw new Error('There is none.')
    expect(event.approval.input).toHaveLength(10_000)
    expect(event.approval.input.isWellFormed()).toBe(true)
  })

  test.each([
    [100, false],
    [101, true],
    [2_000, true],
  ])('with arguments that are nested %i deep is told as it can be', (depth, isInputCut) => {
    const input: unknown = JSON.parse(`${'['.repeat(depth - 1)}{"a]":"[{\\"["}${']'.repeat(depth - 1)}`)
    const log = started().add('answer', { ...call, input }, request)
    expect(approvalsIn(log)).toMatchObject([{ approval: { input: JSON.stringify(input), isInputCut } }])
  })

  test('is not mixed up with another message’s call of the same id', () => {
    const log = started()
      .add('sub-agent', { ...call, toolName: 'clock' })
      .add('answer', call, request)
    expect(approvalsIn(log)).toMatchObject([{ approval: { toolName: 'weather' } }])
  })

  test('that nobody knows of, or that was settled before it was asked for, is told as nothing', () => {
    expect(approvalsIn(started().add('answer', request, response, response))).toEqual([])
  })
})

test('of any run all text is heard, with sub-agents or without, each part in one piece', () => {
  fc.assert(
    fc.property(runEntries, fc.boolean(), (entries, isWithSubAgents) => {
      const parts = partsIn(entries.filter(({ messageId }) => isWithSubAgents || messageId === 'answer'))
      const text = textOf(eventsOf(entries, { isWithSubAgents }))
      expect(text.length).toBe(parts.join('').length + 2 * Math.max(0, parts.length - 1))
      for (const part of parts) expect(text).toContain(part)
    }),
    { numRuns: 2_000 },
  )
})

function partsIn(entries: readonly Entry[]): readonly string[] {
  const parts = new Map<string, string>()
  let count = 0
  const open = new Map<string, number>()
  for (const { messageId, chunk } of entries) {
    if (chunk.type === 'text-start') {
      count += 1
      open.set(`${messageId} ${chunk.id}`, count)
    }
    if (chunk.type !== 'text-delta') continue
    const key = `${open.get(`${messageId} ${chunk.id}`)}`
    parts.set(key, (parts.get(key) ?? '') + chunk.delta)
  }
  return [...parts.values()].filter(part => part !== '')
}
