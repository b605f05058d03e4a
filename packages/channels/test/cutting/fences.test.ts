import { expect, test } from 'vitest'
import { type Fence, fenceAfterLine, fenceAfterText, reopeningOf } from '../../src/cutting/fences.ts'

function opened(line: string): Fence {
  const fence = fenceAfterLine(undefined, line)
  if (fence === undefined) throw new Error(`${line} opens no fence`)
  return fence
}

test('three or more backticks or tildes open a fence, with up to three spaces before and an info string behind', () => {
  expect(opened('```')).toEqual({ marker: '`', length: 3, opening: '```' })
  expect(opened('   ````ts title="a"')).toEqual({ marker: '`', length: 4, opening: '   ````ts title="a"' })
  expect(opened('~~~~~ ```js```\r')).toEqual({ marker: '~', length: 5, opening: '~~~~~ ```js```' })
  for (const line of ['``', '    ```', 'a ```', '~~', '```code```', '\t```', '']) {
    expect(fenceAfterLine(undefined, line)).toBeUndefined()
  }
})

test('a fence is closed by the same marker, at least as often, with only whitespace behind', () => {
  const fence = opened('````js')
  for (const line of ['````', '   ````', '`````', '```` \t', '````\r']) {
    expect(fenceAfterLine(fence, line)).toBeUndefined()
  }
  for (const line of ['```', '~~~~', '    ````', '```` js', 'a ````', '', '````x']) {
    expect(fenceAfterLine(fence, line)).toBe(fence)
  }
})

test('what looks like another fence inside a fence is content', () => {
  expect(fenceAfterText(undefined, '````md\n```js\ncode\n```\n~~~\n````')).toBeUndefined()
  expect(fenceAfterText(undefined, '````md\n```js\ncode\n```')).toMatchObject({ length: 4 })
})

test('a fence that is open at the end of a text is open, blank lines or not', () => {
  expect(fenceAfterText(undefined, 'text\n```js\n\n\ncode')).toMatchObject({ opening: '```js' })
  expect(fenceAfterText(undefined, 'text\n```')).toMatchObject({ opening: '```' })
  expect(fenceAfterText(undefined, 'text\n```\n```\n')).toBeUndefined()
})

test('a fence goes on with the line that opened it, unless that takes too much of a block', () => {
  expect(reopeningOf(opened('  ~~~ts x'), 40)).toBe('  ~~~ts x\n')
  expect(reopeningOf(opened(`\`\`\`\`${'x'.repeat(40)}`), 40)).toBe('````\n')
  expect(reopeningOf(opened(`\`\`\`\`${'x'.repeat(40)}`), 120)).toBe(`\`\`\`\`${'x'.repeat(40)}\n`)
  expect(reopeningOf(opened('`'.repeat(30)), 40)).toBe('```\n')
})
