import { weatherQuery } from '@throughline/testing/query-event-samples'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ChatError } from '../src/chat-error.ts'
import { emptyQuery, foldQuery, type QueryState } from '../src/query-state.ts'
import { linesOf } from '../src/vue/chat-lines.ts'
import { chineseWords } from '../src/vue.ts'

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

test('an error is the last line', () => {
  const error = new ChatError('agent-failed', 'API connection timeout')
  expect(linesOf({ ...whole, error }, chineseWords).at(-1)).toEqual({
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
  return linesOf(state, chineseWords).map(({ content }) => content)
}

function withResult(result: string): QueryState {
  const event = weatherQuery[5]
  return event?.type === 'tool_result' ? foldQuery(emptyQuery, { ...event, result }) : emptyQuery
}
