import type { QueryEvent, QueryEventOf } from '@throughline/protocol'
import { anyQueryEvent, weatherQuery } from '@throughline/testing/http/query-event-samples'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { emptyQuery, ended, foldQuery, type QueryState } from '../../src/events/query-state.ts'

const timestamp = '2026-02-06T10:30:00.123Z'
const streaming = { ...emptyQuery, isStreaming: true }

test('a query ends as its events say', () => {
  const [, , , step, call, result, complete, , , usage] = weatherQuery
  expect(weatherQuery.reduce(foldQuery, streaming)).toEqual({
    response: '你好，我查一下\n今天天气很好 👩‍👩‍👧 naïve',
    isStreaming: false,
    approvals: [],
    toolCalls: [step, call, result, complete],
    tools: new Map([['call-1', { status: 'success', call, result }]]),
    progress: { started: 1, completed: 1 },
    usage: usage?.type === 'usage' ? usage.usage : undefined,
    error: undefined,
    sessionId: 'session-1',
  })
})

describe('a tool', () => {
  test('runs from its call to its result', () => {
    const running = fold([call('a'), call('b')])
    expect(statuses(running)).toEqual({ a: 'running', b: 'running' })
    expect(running.tools.get('a')?.call?.args).toEqual({ location: '北京' })
    expect(statuses(fold([call('a'), call('b'), result('b'), result('a', true)]))).toEqual({
      a: 'error',
      b: 'success',
    })
  })

  test('whose call could not be read still has its result', () => {
    expect(fold([result('a')]).tools.get('a')).toEqual({
      status: 'success',
      call: undefined,
      result: result('a'),
    })
  })

  test.each<[string, (state: QueryState) => QueryState]>([
    ['the final event', state => foldQuery(state, { type: 'final', content: '', timestamp })],
    ['a failure', state => foldQuery(state, { type: 'error', error: 'no', timestamp })],
    ['an abort', ended],
  ])('that runs when the query ends does not run for ever: %s', (_, end) => {
    const state = end(fold([call('a'), call('b'), result('b')]))
    expect(statuses(state)).toEqual({ a: 'error', b: 'success' })
    expect(state.isStreaming).toBe(false)
  })
})

test('the progress is completed of started steps, and never more than all', () => {
  const start: QueryEvent = { type: 'step_start', step_id: 's', title: '', step_number: 1, timestamp }
  const complete: QueryEvent = {
    type: 'step_complete',
    step_id: 's',
    status: 'error',
    duration_ms: 1,
    timestamp,
  }
  expect(fold([start, start, complete]).progress).toEqual({ started: 2, completed: 1 })
  expect(fold([start, complete, complete]).progress).toEqual({ started: 1, completed: 1 })
  expect(fold([complete]).progress).toEqual({ started: 0, completed: 0 })
})

test('a failure is an error that a page can show, and the text stays', () => {
  const state = fold([
    { type: 'text_delta', delta: 'Well', timestamp },
    { type: 'error', error: 'API connection timeout', timestamp },
  ])
  expect(state).toMatchObject({ response: 'Well', isStreaming: false })
  expect(state.error).toMatchObject({ code: 'agent-failed', message: 'API connection timeout' })
})

test('what an event does not touch stays the same object', () => {
  fc.assert(
    fc.property(fc.array(anyQueryEvent, { maxLength: 10 }), anyQueryEvent, (before, event) => {
      const state = fold(before)
      const next = foldQuery(state, event)
      const isTool = event.type === 'tool_call' || event.type === 'tool_result'
      const isStep = event.type === 'step_start' || event.type === 'step_complete'
      const isEnd = event.type === 'final' || event.type === 'error'
      if (!isTool && !isStep) expect(next.toolCalls).toBe(state.toolCalls)
      if (!isTool && !isEnd) expect(next.tools).toBe(state.tools)
      if (!isStep) expect(next.progress).toBe(state.progress)
      if (event.type !== 'usage') expect(next.usage).toBe(state.usage)
    }),
  )
})

function fold(events: readonly QueryEvent[]): QueryState {
  return events.reduce(foldQuery, streaming)
}

function statuses({ tools }: QueryState): Readonly<Record<string, string>> {
  return Object.fromEntries([...tools].map(([id, { status }]) => [id, status]))
}

function call(id: string): QueryEventOf<'tool_call'> {
  const args = { location: '北京' }
  return { type: 'tool_call', tool: 'get_weather', args, tool_call_id: id, display_name: '', timestamp }
}

function result(id: string, isError = false): QueryEventOf<'tool_result'> {
  return {
    type: 'tool_result',
    tool: 'get_weather',
    result: '晴天',
    tool_call_id: id,
    is_error: isError,
    screenshot_base64: null,
    timestamp,
  }
}
