import { expect, test } from 'vitest'
import { approvalText, callText, inputText } from '../../src/ports/approval-text.ts'
import type { ToolApproval } from '../../src/ports/channel.ts'

const atMost = (maxChars: number) => ({ maxChars, canDecide: false })

function approvalOf(input: unknown, more: Partial<ToolApproval> = {}): ToolApproval {
  return {
    id: 'approval-1',
    toolName: 'remove',
    input: JSON.stringify(input),
    isInputCut: false,
    isAskedHere: true,
    ...more,
  }
}

test('a call that waits is told with its tool, its arguments and where to decide', () => {
  expect(approvalText(approvalOf({ what: 'all' }), atMost(1_000))).toBe(
    '🔐 remove waits for approval. Nobody can approve it here: its owner decides on the page of this chat.\n\n{\n  "what": "all"\n}',
  )
})

test('where somebody may decide, nobody is sent to the page', () => {
  expect(approvalText(approvalOf({}), { maxChars: 1_000, canDecide: true })).toBe(
    '🔐 remove waits for approval.\n\n{}',
  )
})

test('whose call it is stands behind the tool when it is a sub-agent’s', () => {
  expect(callText(approvalOf({}, { agent: 'The cleaner' }))).toBe('remove (The cleaner)')
})

test.each([
  [{ approved: true }, 'remove: ✅ approved'],
  [{ approved: false }, 'remove: ❌ denied'],
  [
    { approved: false, reason: 'Nobody decided in time.' },
    'remove: ❌ not approved: Nobody decided in time.',
  ],
])('what became of it is told as it was: %j', (outcome, text) => {
  expect(approvalText(approvalOf({}, { outcome }), atMost(1_000))).toBe(text)
})

test('no text is longer than the channel takes', () => {
  expect(approvalText(approvalOf({ what: 'x'.repeat(5_000) }), atMost(100))).toHaveLength(100)
  expect(
    approvalText(approvalOf({}, { outcome: { approved: false, reason: 'x'.repeat(500) } }), atMost(40)),
  ).toHaveLength(40)
})

test('arguments that are long are cut, which is to be seen', () => {
  expect(inputText(approvalOf({ what: 'x'.repeat(5_000) }))).toMatch(/^\{\n {2}"what": "x+…$/)
  expect(inputText(approvalOf('', { input: `"${'x'.repeat(9_999)}`, isInputCut: true }))).toMatch(/^"x+…$/)
})

test('arguments stand one per line, and what is nested deeply is not indented', () => {
  const nested = `${'['.repeat(3_000)}${']'.repeat(3_000)}`
  expect(inputText(approvalOf('', { input: `{"a":1,"b":${nested}}` }))).toMatch(
    /^\{\n {2}"a": 1,\n {2}"b": \[+…$/,
  )
  expect(inputText(approvalOf([1, { a: 2 }]))).toBe('[1,{"a":2}]')
  expect(inputText(approvalOf({}))).toBe('{}')
  expect(inputText(approvalOf('', { input: '', isInputCut: true }))).toBe('…')
})

test('characters that nobody sees, or that move others, are written out', () => {
  const bidi = '\u202e'
  expect(inputText(approvalOf(`a${bidi}b\u200bc\u2028d`))).toBe(String.raw`"a\u202eb\u200bc\u2028d"`)
  expect(inputText(approvalOf('\u{e0041}'))).toBe(String.raw`"\udb40\udc41"`)
  expect(callText(approvalOf({}, { toolName: `re${bidi}move\nall` }))).toBe(String.raw`re\u202emove all`)
})
