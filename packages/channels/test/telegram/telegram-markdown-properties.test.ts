import { parseTelegramMarkdown } from '@throughline/testing/telegram/telegram-markdown-parser'
import fc from 'fast-check'
import MarkdownIt from 'markdown-it'
import { describe, expect, test } from 'vitest'
import { telegramMarkdown } from '../../src/telegram/telegram-markdown.ts'

const pieces = [
  ...[
    '*',
    '**',
    '***',
    '_',
    '__',
    '~~',
    '~',
    '`',
    '``',
    '```',
    '```js\n',
    '\\',
    '!',
    '[',
    ']',
    '(',
    ')',
    '](',
    '<',
    '>',
  ],
  ...[
    '\n',
    '\n\n',
    '\n> ',
    '\n- ',
    '\n  - ',
    '\n1. ',
    '\n10) ',
    '\n# ',
    '\n    ',
    '\n---\n',
    '\n===\n',
    '|',
    '\n| a | b |',
  ],
  ...[
    '\n|---|---|\n',
    ' ',
    '  \n',
    '\t',
    '\r\n',
    'a',
    'word',
    '1.',
    '中文',
    '😀',
    '👨‍👩‍👧',
    '&amp;',
    '&#42;',
    '&',
    '.',
    '-',
    '=',
  ],
  ...[
    '(https://a.bc/d_(e))',
    '<https://a.bc>',
    '[x](./y)',
    '![i](https://a.bc/i.png)',
    '||',
    '\0',
    '\u2028',
    '\ud83d',
  ],
]
const markup = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map(parts => parts.join(''))
const anything = fc.oneof(
  { weight: 4, arbitrary: markup },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 200 }) },
)
const runs = { numRuns: 2_000 }

describe('whatever the Markdown', () => {
  test('Telegram takes it, and shows what we say it shows', () => {
    fc.assert(
      fc.property(anything, source => {
        const { markdown, text } = telegramMarkdown(source)
        expect(parseTelegramMarkdown(markdown).text).toBe(text)
      }),
      runs,
    )
  })

  test('every character that a page would show is shown, in the same order', () => {
    fc.assert(
      fc.property(anything, source => {
        const shown = [...telegramMarkdown(source).text]
        let from = 0
        for (const character of visibleOnPage(source)) {
          const found = shown.indexOf(character, from)
          expect(found, `${JSON.stringify(character)} is lost`).toBeGreaterThanOrEqual(0)
          from = found + 1
        }
      }),
      { ...runs, examples: [['|&#42;\n---\n[\n|---|---|\n']] },
    )
  })

  test('plain text is shown to the letter', () => {
    const line = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 100 })
      .map(text => text.replaceAll(/\p{Cc}|[\u2028\u2029]/gu, '').trim())
    fc.assert(
      fc.property(line, text => {
        // In Markdown, every ASCII punctuation character can be escaped.
        const source = text.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&')
        expect(telegramMarkdown(source).text).toBe(text)
      }),
      runs,
    )
  })

  test('code is shown to the letter, and is nothing but code', () => {
    const code = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 100 })
    fc.assert(
      fc.property(code, text => {
        const content = text.replaceAll(/\r\n?/g, '\n').replaceAll('\0', '')
        const { markdown } = telegramMarkdown(`${'`'.repeat(120)}ts\n${content}\n${'`'.repeat(120)}`)
        const length = content.length
        expect(parseTelegramMarkdown(markdown)).toEqual({
          text: content,
          entities: length === 0 ? [] : [{ type: 'pre', offset: 0, length, language: 'ts' }],
        })
      }),
      runs,
    )
  })
})

// Made without our code: by the parser's own renderer, without its tags.
function visibleOnPage(source: string): string[] {
  const html = new MarkdownIt({ html: false }).disable('reference').render(source)
  const text = html
    .replaceAll(/<img src="[^"]*" alt="([^"]*)"[^>]*>/g, '$1')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
  return [...text.replaceAll(/\s/g, '')]
}
