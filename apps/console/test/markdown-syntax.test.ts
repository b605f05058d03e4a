import fc from 'fast-check'
import MarkdownIt, { type Token } from 'markdown-it'
import { describe, expect, test } from 'vitest'
import { extendMarkdown } from '../src/markdown/extend-markdown.ts'
import { parseMarkdown, type TokenTree } from '../src/markdown/render-tokens.tsx'

/** Pieces that open something and never close it. */
const hardPieces = ['$', '$$', '\\(', '\\[', '$a', '[^', '[^a', '**你', '$$\n']

describe('formulas', () => {
  test.each([
    ['$x^2$', ['x^2']],
    ['a $x$ and $y$, b', ['x', 'y']],
    ['\\(a\\) and \\[b\\]', ['a', 'b']],
    ['$$a_1$$ in a line', ['a_1']],
    ['$$\na\n= b\n$$', ['a\n= b']],
    ['\\[\n\\frac{1}{2}\n\\]', ['\\frac{1}{2}']],
    ['$$x +\ny$$', ['x +\ny']],
    ['设$x$为', ['x']],
    ['- item\n\n  $$\n  x\n  $$', ['x']],
    ['> $x_i$ and _$y_j$_', ['x_i', 'y_j']],
    ['令 $x=1$，则 $y=2$。', ['x=1', 'y=2']],
  ])('%j has the formulas %j', (text, formulas) => {
    expect(contentsOf('math_inline', text).concat(contentsOf('math_block', text))).toEqual(formulas)
  })

  test.each([
    'It costs $5 and $10.',
    'From $5 to US$10',
    'Between $5 or 10$',
    '价格是$20到30$',
    'a `$x$` in code',
    '```\n$x$\n```',
    '    $x$',
    'a \\$x$ b',
    '$ x $',
    '$HOME/bin:$PATH',
    '$5,000 (about 4,500€) or $6',
    '$$\na = b\n\nnever closed',
  ])('%j has none', text => {
    const found = [...contentsOf('math_inline', text), ...contentsOf('math_block', text)]
    expect(found.filter(tex => tex !== '')).toEqual([])
  })
})

test.each([...hardPieces, '[', '> ', '- ', '*', '`'])(
  'for a text of twice as many %j the parser calls its rules twice as often',
  piece => {
    const once = ruleCallsFor(piece.repeat(1_000))
    const twice = ruleCallsFor(piece.repeat(2_000))
    expect(once).toBeGreaterThan(0)
    expect(twice / once).toBeLessThan(2.1)
  },
)

test('a formula that is not closed nearby is text, however far the closing is', () => {
  for (const [opening, closing] of [
    ['$', '$'],
    ['\\(', '\\)'],
  ] as const) {
    expect(contentsOf('math_inline', `${opening}${'x'.repeat(4_000)}${closing}`)).toHaveLength(1)
    expect(contentsOf('math_inline', `${opening}${'x'.repeat(4_001)}${closing}`)).toEqual([])
  }
})

test('a task list has boxes in the place of the brackets', () => {
  const text = '- [x] done\n- [ ] open\n- [link](https://example.com)\n- [y] neither'
  expect(tokensOf('task', text).map(({ info }) => info)).toEqual(['done', ''])
  expect(contentsOf('text', text)).toEqual(['done', 'open', 'link', '[y] neither'])
})

test('a footnote and its references are found, also when the footnote is only an address', () => {
  const text = 'One[^1], two[^b].\n\n[^1]: https://example.com\n[^b]: Text\non two lines'
  expect(tokensOf('footnote_reference', text).map(({ info }) => info)).toEqual(['1', 'b'])
  expect(tokensOf('footnote_open', text).map(({ info }) => info)).toEqual(['1', 'b'])
  expect(tokensOf('link_open', text)).toHaveLength(1)
})

test.each([
  ['**说明：**文字', 1],
  ['这是**“重点”**。', 1],
  ['中文**（括号）**中文', 1],
  ['한국어**(강조)**입니다', 1],
  ['a ** b ** c', 0],
  ['中文 ** 中文 ** 中文', 0],
  ['snake_case_name', 0],
])('%s is emphasised as its reader expects', (text, count) => {
  const found = [...tokensOf('strong_open', text), ...tokensOf('em_open', text)]
  expect(found).toHaveLength(count)
})

test('whatever is written, the parser does not throw', () => {
  const fragment = fc.constantFrom(
    '$',
    '$$',
    '\\(',
    '\\]',
    '[^',
    '1',
    ']',
    ':',
    '\n',
    ' ',
    '- ',
    '[x] ',
    '*',
    '你',
    '|',
    '> ',
  )
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 40 }), parts => {
      parseMarkdown(parts.join(''))
    }),
    { numRuns: 2_000 },
  )
})

/** Returns how often a parser like that of the page calls its rules for a text. */
function ruleCallsFor(text: string): number {
  const parser = extendMarkdown(new MarkdownIt({ html: false, linkify: true, breaks: true }))
  let calls = 0
  const count = <Rule extends (...args: never) => unknown>(rules: Rule[]) => {
    for (const [index, rule] of rules.entries())
      rules[index] = new Proxy(rule, {
        apply(target, self, args) {
          calls += 1
          return Reflect.apply(target, self, args)
        },
      })
  }
  const { block, inline } = parser
  // The parser keeps these lists, and takes its rules from them.
  for (const chain of ['', 'paragraph', 'reference', 'blockquote', 'list']) count(block.ruler.getRules(chain))
  count(inline.ruler.getRules(''))
  count(inline.ruler2.getRules(''))
  parser.parse(text, {})
  return calls
}

function contentsOf(type: string, text: string): readonly string[] {
  return tokensOf(type, text).map(({ content }) => content)
}

function tokensOf(type: string, text: string): readonly Token[] {
  return allIn(parseMarkdown(text)).filter(token => token.type === type)
}

function allIn(trees: readonly TokenTree[]): readonly Token[] {
  return trees.flatMap(({ token, children }) => [token, ...(token.children ?? []), ...allIn(children)])
}
