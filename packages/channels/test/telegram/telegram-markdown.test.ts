import { parseTelegramMarkdown } from '@throughline/testing/telegram/telegram-markdown-parser'
import { describe, expect, test } from 'vitest'
import { telegramMarkdown } from '../../src/telegram/telegram-markdown.ts'

describe('Markdown for Telegram', () => {
  test.each([
    ['**bold** and __bold__', '*bold* and *bold*'],
    ['*italic* and _italic_', '_italic_ and _italic_'],
    ['~~gone~~', '~gone~'],
    ['***both***', '*_both_*'],
    ['*a*_b_', '_ab_'],
    ['**a *b***', '*a _b_*'],
    ['*a **b***', '_a _*_b_*'],
    ['*a *b* c*', '_a b c_'],
    ['`a_b` and ``a`b``', '`a_b` and `a\\`b`'],
    ['**see `code` here**', '*see *`code`* here*'],
    ['# Title with `code`', '*Title with *`code`'],
    ['Title\n=====', '*Title*'],
    ['1.5 + 2 = 3! (really) #1', '1\\.5 \\+ 2 \\= 3\\! \\(really\\) \\#1'],
    ['snake_case_name', 'snake\\_case\\_name'],
    ['C:\\new\\temp', 'C:\\\\new\\\\temp'],
    ['\\*not bold\\*', '\\*not bold\\*'],
    ['<b>no HTML</b> &amp; &lt;', '<b\\>no HTML</b\\> & <'],
    ['first\nsecond', 'first\nsecond'],
    ['**over\nlines**', '*over*\n*lines*'],
    ['one\n\n\n\ntwo', 'one\n\ntwo'],
    ['---', '———'],
  ])('%j is %j', (source, expected) => {
    expect(telegramMarkdown(source).markdown).toBe(expected)
  })

  test.each([
    ['[text](https://example.com/a_(b))', '[text](https://example.com/a_(b\\))'],
    ['[**text**](https://example.com)', '[*text*](https://example.com)'],
    ['**a [b](https://c.de) d**', '*a *[*b*](https://c.de)* d*'],
    ['[`code`](https://example.com)', '[code](https://example.com)'],
    ['[](https://example.com)', '[https://example\\.com](https://example.com)'],
    ['<https://example.com/_a_>', 'https://example\\.com/\\_a\\_'],
    ['![a picture](https://example.com/p.png)', '[a picture](https://example.com/p.png)'],
    ['[![p](https://a.bc/p.png)](https://d.ef)', '[p](https://d.ef)'],
    // Telegram makes no links of these, so nobody would see the address.
    ['[file](./src/main.ts)', 'file \\(\\./src/main\\.ts\\)'],
    ['[here](http://localhost:4000)', 'here \\(http://localhost:4000\\)'],
    ['[me](tg://user?id=1)', 'me \\(tg://user?id\\=1\\)'],
    ['[run](javascript:alert(1))', '\\[run\\]\\(javascript:alert\\(1\\)\\)'],
    ['[1]: https://example.com', '\\[1\\]: https://example\\.com'],
  ])('the link %j is %j', (source, expected) => {
    expect(telegramMarkdown(source).markdown).toBe(expected)
  })

  test.each([
    ['- a\n- b', '• a\n• b'],
    ['3. a\n4. b', '3\\. a\n4\\. b'],
    ['1) a', '1\\) a'],
    ['- a\n  - b\n    - c', '• a\n  • b\n    • c'],
    ['- a\n\n- b', '• a\n\n• b'],
    ['- a\n  b', '• a\n  b'],
    ['- [ ] open\n- [x] done', '• \\[ \\] open\n• \\[x\\] done'],
    ['- ```\n  code\n  ```\n- b', '• \n```\ncode```\n• b'],
    ['- > quoted', '• \\> quoted'],
  ])('the list %j is %j', (source, expected) => {
    expect(telegramMarkdown(source).markdown).toBe(expected)
  })

  test.each([
    ['> a\n> b', '>a\n>b'],
    ['> a\n\n> b', '>a\n\n>b'],
    ['> a\n>\n> b\n\nc', '>a\n>\n>b\n\nc'],
    ['> a\n> > b', '>a\n>\n>\\> b'],
    ['> - a', '>• a'],
    ['> ```\n> a\n> b\n> ```\n> c', '>```\na\nb```\n>\n>c'],
  ])('the quote %j is %j', (source, expected) => {
    expect(telegramMarkdown(source).markdown).toBe(expected)
  })

  test.each([
    ['```js\nlet a = `\\n`\n```', '```js\nlet a = \\`\\\\n\\````'],
    ['~~~\na\n~~~', '```\na```'],
    ['```c++ title="x"\na\n```', '```c++\na```'],
    ['```<script>\na\n```', '```\na```'],
    ['```\n\na\n```', '```\n\na```'],
    ['```py\nstill open', '```py\nstill open```'],
    ['    indented', '```\nindented```'],
  ])('the code %j is %j', (source, expected) => {
    expect(telegramMarkdown(source).markdown).toBe(expected)
  })

  test('a table is preformatted text in columns', () => {
    const source = '| name | value |\n|---|---|\n| **a** | `1` |\n| longer | [x](https://y.zz) |'
    const { markdown, text } = telegramMarkdown(source)
    expect(text).toBe(
      ['name   │ value', '───────┼─────────────────', 'a      │ 1', 'longer │ x (https://y.zz)'].join('\n'),
    )
    expect(parseTelegramMarkdown(markdown).entities).toMatchObject([
      { type: 'pre', offset: 0, length: text.length },
    ])
  })

  test('a table in a list, and one with wide characters, is in columns too', () => {
    expect(telegramMarkdown('- | a | b |\n  |---|---|\n  | 1 | 2 |').text).toBe('• \na │ b\n──┼──\n1 │ 2')
    expect(telegramMarkdown('| 名字 | b |\n|---|---|\n| abc | 2 |').text).toBe('名字 │ b\n─────┼──\nabc  │ 2')
  })

  test('a cell for which the table has no column is not lost', () => {
    expect(telegramMarkdown('> | a |\n> |---|\n> | b | lost |').text).toContain('| b | lost |')
    expect(telegramMarkdown('> | a |\n> |---|\n> | b |').text).toBe('a\n─\nb')
  })

  test('what is nested too deeply to be read is shown as it was written', () => {
    const source = `${'> '.repeat(200)}deep`
    const { markdown, text } = telegramMarkdown(source)
    expect(text).toBe(source)
    expect(parseTelegramMarkdown(markdown).text).toBe(source)
  })
})
