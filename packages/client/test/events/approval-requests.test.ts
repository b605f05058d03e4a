import type { QueryEvent, QueryEventOf } from '@throughline/protocol'
import { expect, test } from 'vitest'
import { emptyQuery, ended, foldQuery, type QueryState } from '../../src/events/query-state.ts'

const timestamp = '2026-02-06T10:30:00.123Z'

test('a call waits from its request to its response', () => {
  const asked = after(request('a'), request('b'))
  expect(waiting(asked)).toEqual(['a', 'b'])
  expect(waiting(foldQuery(asked, response('a')))).toEqual(['b'])
})

test('a call that has its result waits no more, also when its response could not be read', () => {
  expect(waiting(after(request('a'), request('b'), result('b')))).toEqual(['a'])
})

test('nothing waits when the answer has ended, whatever the end', () => {
  const asked = after(request('a'))
  const final: QueryEvent = { type: 'final', content: 'Well.', timestamp }
  expect(waiting(foldQuery(asked, final))).toEqual([])
  expect(waiting(foldQuery(asked, { type: 'error', error: 'No.', timestamp }))).toEqual([])
  expect(waiting(ended(asked))).toEqual([])
})

test('what does not concern the calls that wait leaves them as they are', () => {
  const asked = after(request('a'))
  const more = [{ type: 'text_delta', delta: 'Well', timestamp } as const, response('x'), result('x')]
  for (const event of more) expect(foldQuery(asked, event).approvals).toBe(asked.approvals)
})

function after(...events: readonly QueryEvent[]): QueryState {
  return events.reduce(foldQuery, emptyQuery)
}

function waiting({ approvals }: QueryState): readonly string[] {
  return approvals.map(({ approval_id }) => approval_id)
}

function request(id: string): QueryEventOf<'approval_request'> {
  const call = { tool: 'remove', args: {}, tool_call_id: `call-${id}`, display_name: '' }
  return { type: 'approval_request', approval_id: id, ...call, timestamp }
}

function response(id: string): QueryEvent {
  const tool_call_id = `call-${id}`
  return { type: 'approval_response', approval_id: id, tool_call_id, approved: true, reason: null, timestamp }
}

function result(id: string): QueryEvent {
  const given = { tool: 'remove', result: '', is_error: false, screenshot_base64: null }
  return { type: 'tool_result', tool_call_id: `call-${id}`, ...given, timestamp }
}
