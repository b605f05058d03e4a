import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Blocks, blocksIn, noBlocks, splitBlocks } from '../src/markdown/split-blocks.ts'

// Pieces of markdown that begin, end, interrupt and continue blocks, and the characters they are made of.
const fragment = fc.constantFrom(
  ...[
    '# ',
    '#',
    '- ',
    '-',
    '* ',
    '***',
    '1. ',
    '2. ',
    '> ',
    '```',
    '```js\n',
    '~~~',
    '---',
    '===',
    '    ',
    '  ',
  ],
  ...[
    '| a | b |\n',
    '|---|---|\n',
    '[a]: /b\n',
    '\n',
    '\n\n',
    '\r\n',
    'word',
    'word ',
    '#3',
    '$$',
    '$$\n',
    '\\[\n',
    '\\]\n',
    '[^1]: ',
    '[^1]',
    '`',
    '|',
    '\\',
    '你好',
  ],
)
const markdown = fc.array(fragment, { maxLength: 25 }).map(fragments => fragments.join(''))

const longTexts = {
  list: lines(line => `- item ${line} with some words`),
  table: `| a | b |\n|---|---|\n${lines(line => `| ${line} | cell |`)}`,
  code: `\`\`\`js\n${lines(line => `call(${line})`)}`,
  text: Array.from({ length: 4_000 }, (_, word) => `word${word}`).join(' '),
}

describe('a text that grows', () => {
  test('is cut into the same blocks, however it came', () => {
    fc.assert(
      fc.property(markdown, fc.array(fc.nat(20)), (text, sizes) => {
        expect(blocksIn(grown(text, sizes))).toEqual(blocksIn(splitBlocks(text, noBlocks)))
      }),
      { numRuns: 3_000 },
    )
  })

  test('loses nothing and gets nothing twice', () => {
    const any = fc.oneof(markdown, fc.constantFrom(...Object.values(longTexts)))
    fc.assert(
      fc.property(any, fc.array(fc.nat(9_000)), (text, sizes) => {
        expect(sourceOf(grown(text, sizes))).toBe(text)
      }),
    )
  })

  test('keeps its finished blocks as they are, so that none is drawn again', () => {
    const before = splitBlocks('# One\n\nTwo\n\nThree\n', noBlocks)
    const after = splitBlocks('# One\n\nTwo\n\nThree\nand more\n\nFour\n', before)
    expect(before.finished).toHaveLength(2)
    expect(after.finished.slice(0, 2).every((block, index) => block === before.finished[index])).toBe(true)
  })

  test('has a formula with lines that look like lists and headings as one block', () => {
    const formula = '$$\na\n=\n- b\n+ c\n$$\n'
    expect(blocksIn(splitBlocks(`Before\n${formula}After`, noBlocks)).map(({ pieces }) => pieces)).toEqual([
      ['Before\n'],
      [formula],
      ['After'],
    ])
  })

  test('goes on after a formula that is never closed', () => {
    const blocks = blocksIn(splitBlocks('$$\na = b\n\n# Heading\n', noBlocks))
    expect(blocks.map(({ pieces }) => pieces)).toEqual([['$$\na = b\n\n'], ['# Heading\n']])
  })

  test('begins anew when it is another text', () => {
    const blocks = splitBlocks('Another\n\ntext', splitBlocks('A text\n\nof two blocks', noBlocks))
    expect(blocks).toEqual(splitBlocks('Another\n\ntext', noBlocks))
  })
})

describe('a block that becomes very long', () => {
  test.each(Object.entries(longTexts))('is cut into pieces that stay as they are: %s', (kind, text) => {
    let blocks = noBlocks
    for (let length = 0; length < text.length; length += 1_000) {
      const next = splitBlocks(text.slice(0, length), blocks)
      const done = blocks.last.pieces.slice(0, -1)
      expect(next.last.pieces.slice(0, done.length)).toEqual(done)
      expect(next.last.pieces.at(-1)?.length).toBeLessThan(10_000)
      blocks = next
    }
    expect(blocks.finished).toEqual([])
    expect(blocks.last.kind).toBe(kind)
    expect(blocks.last.pieces.length).toBeGreaterThan(1)
  })

  test('ends where it ends, and what follows is a block of its own', () => {
    const closed = `${longTexts.code}\`\`\`\n\nAfter.`
    const blocks = grown(closed, Array<number>(closed.length).fill(1_000))
    expect(blocks.last.kind).toBe('code')
    expect(blocks.next).toBe('After.')
  })

  test('is not cut behind its end, wherever the text stands when it is long enough', () => {
    const closed = `${longTexts.code}\`\`\`\n\n`
    for (let length = closed.length - 6; length <= closed.length; length += 1) {
      const { last } = splitBlocks(closed.slice(0, length), noBlocks)
      expect(last.pieces.length, `of ${length} characters`).toBe(2)
      expect(last.pieces[1], `of ${length} characters`).toMatch(/^[a-z]/)
    }
  })
})

function lines(write: (line: number) => string): string {
  return Array.from({ length: 2_000 }, (_, line) => `${write(line)}\n`).join('')
}

/** Feeds a text in pieces of these sizes, and then the rest. */
function grown(text: string, sizes: readonly number[]): Blocks {
  let length = 0
  let blocks = noBlocks
  for (const size of sizes) {
    length = Math.min(text.length, length + size)
    blocks = splitBlocks(text.slice(0, length), blocks)
  }
  return splitBlocks(text, blocks)
}

function sourceOf(blocks: Blocks): string {
  return blocksIn(blocks)
    .flatMap(({ pieces }) => pieces)
    .join('')
}
