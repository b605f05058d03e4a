import type { QueryEventOf } from '@throughline/protocol'
import { weatherQuery } from '@throughline/testing/http/query-event-samples'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { emptyQuery, foldQuery, type QueryState } from '../../src/events/query-state.ts'
import { ChatError } from '../../src/http/chat-error.ts'
import { type ChatLine, endLinesOf, toolLinesOf } from '../../src/vue/chat-lines.ts'
import { chineseWords } from '../../src/vue.ts'

const whole = weatherQuery.reduce(foldQuery, emptyQuery)

test('a query adds its calls, their results and its answer, in order, and no line for a step', () => {
  expect(contentsOf(whole)).toEqual([
    '调用工具: get_weather',
    '工具结果: 北京今天晴天☀️，温度 25°C',
    '你好，我查一下\n今天天气很好 👩‍👩‍👧 naïve',
  ])
})

test('an answer that is being written is no line yet, and an empty one is none', () => {
  expect(contentsOf({ ...whole, isStreaming: true })).toHaveLength(2)
  expect(contentsOf({ ...whole, response: '' })).toHaveLength(2)
  expect(contentsOf(emptyQuery)).toEqual([])
})

test('a call says what the tool was given and how it stands', () => {
  const steps = weatherQuery.slice(0, 5)
  const running = steps.reduce(foldQuery, { ...emptyQuery, isStreaming: true })
  const args = '{"location":"北京"}'
  expect(linesOf(running)[0]?.call).toEqual({ status: 'running', args })
  expect(linesOf({ ...running, isStreaming: false })[0]?.call).toEqual({ status: 'unfinished', args })
  expect(linesOf(whole)[0]?.call).toEqual({ status: 'success', args })
  expect(linesOf(foldQuery(running, result({ is_error: true })))[0]?.call?.status).toBe('error')
})

test('a call that waits for the person says so, and by which request', () => {
  const request: QueryEventOf<'approval_request'> = {
    ...call({}),
    type: 'approval_request',
    approval_id: 'a',
  }
  const waiting = [call({}), request].reduce(foldQuery, { ...emptyQuery, isStreaming: true })
  expect(linesOf(waiting)[0]?.call).toMatchObject({ status: 'waiting', approvalId: 'a' })
  expect(linesOf(foldQuery(waiting, result({})))[0]?.call).not.toHaveProperty('approvalId')
})

test('a tool that was given nothing has no arguments to show', () => {
  const state = foldQuery(emptyQuery, call({ args: {} }))
  expect(linesOf(state)[0]?.call?.args).toBe('')
})

test('long arguments stand on lines of their own', () => {
  const args = { location: '北京', note: '晴'.repeat(100) }
  const state = foldQuery(emptyQuery, call({ args }))
  expect(linesOf(state)[0]?.call?.args).toBe(JSON.stringify(args, null, 2))
})

test('of two calls under one id each has its own state', () => {
  const events = [call({}), result({ is_error: true }), call({})]
  const running = events.reduce(foldQuery, { ...emptyQuery, isStreaming: true })
  expect(linesOf(running).map(line => line.call?.status)).toEqual(['error', undefined, 'running'])
  const both = foldQuery(running, result({}))
  expect(linesOf(both).map(line => line.call?.status)).toEqual(['error', undefined, 'success', undefined])
})

test('calls that work at the same time have their states, whichever ends first', () => {
  const events = [
    call({ tool_call_id: 'a' }),
    call({ tool_call_id: 'b' }),
    result({ tool_call_id: 'b', screenshot_base64: 'iVBORw0KGgo=' }),
  ]
  const lines = linesOf(events.reduce(foldQuery, { ...emptyQuery, isStreaming: true }))
  expect(lines.map(line => line.call?.status)).toEqual(['running', 'success', undefined])
  expect(lines[2]?.screenshot).toBe('iVBORw0KGgo=')
})

test.each([
  ['stopped', '回答已停止。'],
  ['limit', '回答已达到上限，内容不完整。'],
] as const)('an answer that ended as %s says so under what it had said', (cutShort, content) => {
  expect(contentsOf({ ...whole, cutShort }).slice(-2)).toEqual([whole.response, content])
})

test('an answer that says nothing has a line that says so', () => {
  const statusText = 'The agent ended without saying anything.'
  const final = {
    type: 'final',
    content: '',
    status: 'empty',
    status_text: statusText,
    timestamp: '',
  } as const
  expect(contentsOf(foldQuery(emptyQuery, final))).toEqual([`智能体没有作出回答: ${statusText}`])
  expect(contentsOf(foldQuery(emptyQuery, { ...final, status: 'stopped' }))).toEqual(['回答已停止。'])
})

test('an error is the last line', () => {
  const error = new ChatError('agent-failed', 'API connection timeout')
  expect(linesOf({ ...whole, error }).at(-1)).toEqual({
    role: 'system',
    content: '错误: API connection timeout',
    isError: true,
  })
})

test.each([
  ['晴'.repeat(100), '晴'.repeat(100)],
  ['晴'.repeat(101), `${'晴'.repeat(100)}...`],
  [`${'a'.repeat(99)}😀`, `${'a'.repeat(99)}😀`],
  [`${'a'.repeat(99)}😀b`, `${'a'.repeat(99)}😀...`],
  ['😀'.repeat(5_000), `${'😀'.repeat(100)}...`],
  ['', ''],
])('of a result only its first 100 characters are shown: %s', (result, shown) => {
  expect(contentsOf(withResult(result))).toEqual([`工具结果: ${shown}`])
})

test('no result is cut within a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme-composite', maxLength: 300 }), result => {
      const [content = ''] = contentsOf(withResult(result))
      expect(content.isWellFormed()).toBe(true)
    }),
  )
})

function contentsOf(state: QueryState): readonly string[] {
  return linesOf(state).map(({ content }) => content)
}

function linesOf(state: QueryState): readonly ChatLine[] {
  return [...toolLinesOf(state, chineseWords), ...endLinesOf(state, chineseWords)]
}

function withResult(text: string): QueryState {
  return foldQuery(emptyQuery, result({ result: text }))
}

function call(fields: Partial<QueryEventOf<'tool_call'>>): QueryEventOf<'tool_call'> {
  return {
    type: 'tool_call',
    tool: 'get_weather',
    args: { location: '北京' },
    tool_call_id: 'call-1',
    display_name: '',
    timestamp: '',
    ...fields,
  }
}

function result(fields: Partial<QueryEventOf<'tool_result'>>): QueryEventOf<'tool_result'> {
  return {
    type: 'tool_result',
    tool: 'get_weather',
    result: '晴',
    tool_call_id: 'call-1',
    is_error: false,
    screenshot_base64: null,
    timestamp: '',
    ...fields,
  }
}
