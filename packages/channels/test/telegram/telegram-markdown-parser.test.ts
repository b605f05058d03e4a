import {
  parseTelegramMarkdown,
  TelegramMarkdownError,
} from '@throughline/testing/telegram/telegram-markdown-parser'
import { describe, expect, test } from 'vitest'

describe('the parser of MarkdownV2 that stands in for Telegram', () => {
  test.each([...'()]>#+-=|{}.!'])('does not take %s when it is not escaped', character => {
    expect(() => parseTelegramMarkdown(`a${character}`)).toThrow(TelegramMarkdownError)
    expect(parseTelegramMarkdown(`a\\${character}`).text).toBe(`a${character}`)
  })

  test.each([
    ['*a', "Can't find end of bold entity at byte offset 0"],
    ['é _a', "Can't find end of italic entity at byte offset 3"],
    ['*a _b* c_', "Can't find end of italic entity"],
    ['`a', "Can't find end of code entity"],
    ['```a', "Can't find end of pre entity"],
    ['```\na ` b```', "Character '`' is reserved"],
    ['[a](b', "Can't find end of a URL"],
    ['[a](b\\)', "Can't find end of a URL"],
    ['_a__b_', "Can't find end of"],
    ['a >b', "Character '>' is reserved"],
    ['>a\n>>b', "Character '>' is reserved"],
    ['>*a\nb*', "Can't find end of bold entity"],
    ['*a `b` c*', 'A code entity cannot be inside a bold entity'],
    ['[a [b](http://c.d)](http://e.f)', 'A text_link entity cannot be inside a text_link entity'],
  ])('does not take %j', (source, reason) => {
    expect(() => parseTelegramMarkdown(source)).toThrow(reason)
  })

  test.each([
    ['', '', []],
    ['\\\\', '\\', []],
    // Only ASCII can be escaped. In front of anything else, and at the end, a backslash is only a backslash.
    ['\\é\\', '\\é\\', []],
    ['\\a\\1', 'a1', []],
    ['**____||||', '', []],
    ['*a _b_ ~c~*', 'a b c', ['bold 0 5', 'italic 2 1', 'strikethrough 4 1']],
    ['__a _b___', undefined, []],
    ['__a _b_**__', 'a b', ['underline 0 3', 'italic 2 1']],
    ['||a||', 'a', ['spoiler 0 1']],
    ['😀*b*', '😀b', ['bold 2 1']],
    ['`a*_\\`\\\\`', 'a*_`\\', ['code 0 5']],
    ['```js\nlet a```', 'let a', ['pre 0 5 js']],
    ['```\n\na\n```', '\na\n', ['pre 0 3']],
    ['[a](http://b.c/\\))', 'a', ['text_link 0 1 http://b.c/)']],
    ['[a](not an address)', 'a', []],
    ['[a](http://localhost)', 'a', []],
    ['>a\n>b\nc', 'a\nb\nc', ['blockquote 0 4']],
    ['x\n>*a*\n>`b`', 'x\na\nb', ['blockquote 2 3', 'bold 2 1', 'code 4 1']],
    // In code, a line may begin with anything.
    ['>```\na\nb```\n>c\n\nd', 'a\nb\nc\n\nd', ['blockquote 0 6', 'pre 0 3']],
    ['>a\n>b||\nc', 'a\nb\nc', ['expandable_blockquote 0 3']],
  ])('reads %j', (source, text, expected) => {
    if (text === undefined) return expect(() => parseTelegramMarkdown(source)).toThrow()
    const parsed = parseTelegramMarkdown(source)
    const entities = parsed.entities.map(({ type, offset, length, url, language }) =>
      [type, offset, length, url, language].filter(fact => fact !== undefined).join(' '),
    )
    expect({ text: parsed.text, entities }).toEqual({ text, entities: expected })
  })
})
