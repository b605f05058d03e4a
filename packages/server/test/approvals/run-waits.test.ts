import type { Chunk, Entry } from '@throughline/protocol'
import { entryOf } from '@throughline/testing/log/entries-of'
import { describe, expect, test, vi } from 'vitest'
import { awaitedCalls, foldWaits, noWaits } from '../../src/stream/run-waits.ts'

describe('a run waits for approvals', () => {
  test.each<[string, readonly Entry[], readonly string[]]>([
    ['when its only call waits', [begin(), ...asks('a')], ['a']],
    ['when all its calls wait', [begin(), call('a'), call('b'), request('a'), request('b')], ['a', 'b']],
    ['when the others have ended, and their steps', [begin(), ...asks('a'), call('b'), ...ends('b')], ['a']],
    ['when its only sub-agent waits', [begin(), call('ask'), child('ask'), ...asks('a', 'child')], ['a']],
    [
      'when it waits itself, and its sub-agent too',
      [begin(), call('ask'), ...asks('a'), child('ask'), ...asks('b', 'child')],
      ['a', 'b'],
    ],
    [
      'again, after one of two was denied',
      [begin(), ...asks('a'), ...asks('b'), answer('a'), ...denied('a')],
      ['b'],
    ],
  ])('%s', (_, entries, awaited) => {
    expect(awaitedAfter(entries)).toEqual(awaited)
  })
})

describe('a run does not wait for approvals', () => {
  test.each<[string, readonly Entry[]]>([
    ['before it has begun', []],
    ['while it thinks', [begin()]],
    ['while it writes', [begin(), ...asks('a'), by('answer', { type: 'text-start', id: 't' })]],
    ['while it writes an input', [begin(), ...asks('a'), by('answer', inputStart('b'))]],
    ['while another call is at work', [begin(), ...asks('a'), call('b')]],
    [
      'while another call is at work and has told how far it is',
      [begin(), ...asks('a'), call('b'), output('b', true)],
    ],
    [
      'between the end of a call and the end of its step',
      [begin(), ...asks('a'), call('b'), step('b', 'running'), output('b')],
    ],
    ['while a sub-agent thinks', [begin(), call('ask'), ...asks('a'), child('ask')]],
    [
      'after a sub-agent has ended, before its caller knows',
      [begin(), call('ask'), ...asks('a'), child('ask'), by('child', { type: 'finish' })],
    ],
    ['once the call was approved', [begin(), ...asks('a'), answer('a')]],
    ['once the call has ended', [begin(), ...asks('a'), answer('a'), ...denied('a')]],
    ['once the run has ended', [begin(), ...asks('a'), by('answer', { type: 'abort' })]],
  ])('%s', (_, entries) => {
    expect(awaitedAfter(entries)).toEqual([])
  })
})

test('what is known of a request is who asks for what, and since when', () => {
  const [approval] = awaitedCalls([begin(), ...asks('a')].reduce(foldWaits, noWaits))
  expect(approval).toEqual({
    kind: 'approval',
    id: 'a',
    toolCallId: 'call-a',
    messageId: 'answer',
    toolName: 'remove',
    input: { what: 'a' },
    at: expect.any(Number),
  })
})

test('the calls of one step cost no more each, however many there are', () => {
  const copies = vi.spyOn(Map.prototype, 'set')
  const setsFor = (count: number) => {
    const entries = [begin(), ...Array.from({ length: count }, (_, index) => asks(`a${index}`)).flat()]
    copies.mockClear()
    const waits = entries.reduce(foldWaits, noWaits)
    const sets = copies.mock.calls.length
    expect(awaitedCalls(waits)).toHaveLength(count)
    return sets
  }
  try {
    expect(setsFor(400) / setsFor(100)).toBeLessThan(5)
  } finally {
    copies.mockRestore()
  }
})

test('more text changes nothing, so that it costs nothing', () => {
  const before = [begin(), by('answer', { type: 'text-start', id: 't' })].reduce(foldWaits, noWaits)
  expect(foldWaits(before, by('answer', { type: 'text-delta', id: 't', delta: 'more' }))).toBe(before)
})

function awaitedAfter(entries: readonly Entry[]): readonly string[] {
  return awaitedCalls(entries.reduce(foldWaits, noWaits)).map(({ id }) => id)
}

function by(messageId: string, chunk: Chunk): Entry {
  return entryOf(chunk, { messageId, seq: 1 })
}

function begin(): Entry {
  return by('answer', { type: 'start', messageId: 'answer' })
}

function child(of: string): Entry {
  const parent = { messageId: 'answer', toolCallId: `call-${of}` }
  return by('child', { type: 'start', messageId: 'child', messageMetadata: { parent } })
}

function inputStart(id: string): Chunk {
  return { type: 'tool-input-start', toolCallId: `call-${id}`, toolName: 'remove' }
}

function call(id: string, author = 'answer'): Entry {
  const input = { what: id }
  return by(author, { type: 'tool-input-available', toolCallId: `call-${id}`, toolName: 'remove', input })
}

function request(id: string, author = 'answer'): Entry {
  return by(author, { type: 'tool-approval-request', toolCallId: `call-${id}`, approvalId: id })
}

function asks(id: string, author?: string): readonly Entry[] {
  return [call(id, author), step(id, 'running', author), request(id, author)]
}

function answer(id: string): Entry {
  return by('answer', { type: 'tool-approval-response', approvalId: id, approved: false })
}

function denied(id: string): readonly Entry[] {
  return [by('answer', { type: 'tool-output-denied', toolCallId: `call-${id}` }), step(id, 'error')]
}

function output(id: string, preliminary?: true): Entry {
  const chunk: Chunk = { type: 'tool-output-available', toolCallId: `call-${id}`, output: 1 }
  return by('answer', preliminary ? { ...chunk, preliminary } : chunk)
}

function ends(id: string): readonly Entry[] {
  return [step(id, 'running'), output(id), step(id, 'completed')]
}

function step(id: string, status: 'running' | 'completed' | 'error', author = 'answer'): Entry {
  const data = {
    title: 'Remove',
    number: 1,
    toolCallId: `call-${id}`,
    status,
    startedAt: '2026-01-02T03:04:05Z',
  }
  return by(author, { type: 'data-step', id: `step-call-${id}`, data })
}
