import fc from 'fast-check'

const plainWord = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom('a', 'the', 'word', 'longer', 'something', 'end.', 'Why?', 'Yes!', '"so."'),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '中文',
      '句子。',
      '真的吗？！',
      '“好。”',
      '等等……',
      '一；二',
      '好！😀',
      '好。\ufe0f',
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom('👨‍👩‍👧‍👦', '🇩🇪🇫🇷🇯🇵', '🏳️‍🌈', 'e\u0301\u0323', '👍🏽', '1️⃣', '각', 'क्षि'),
  },
  { weight: 1, arbitrary: fc.constantFrom('`code`', '~~struck~~', '**bold.**', '12.', '|', '#') },
  { weight: 1, arbitrary: fc.constantFrom('https://example.com/a/very/long/path?x=1&y=2', 'x'.repeat(70)) },
)
/** Words that look like a fence but stand in the middle of a line. */
const trickyWord = fc.oneof(
  { weight: 9, arbitrary: plainWord },
  { weight: 1, arbitrary: fc.constantFrom('```inline```', '~~~', '```', '``', '`') },
)
const gap = fc.oneof(
  { weight: 8, arbitrary: fc.constant(' ') },
  { weight: 1, arbitrary: fc.constantFrom('', '  ', '\t', '\u3000', '\u00a0', '\u2028', '\u2029') },
)

const marker = fc.constantFrom('```', '````', '``````', '~~~', '~~~~~')
const info = fc.constantFrom(
  '',
  'ts',
  ' js title="a b"',
  '~',
  'a-very-long-info-string-that-cannot-be-repeated',
)
const lineOfCode = fc.constantFrom(
  '',
  '  indented',
  '```',
  '~~~',
  '```ts',
  '   ````',
  '    ```',
  '~~~~~~ ',
  '\r',
  '```` x',
)

/** Texts like those of models, with everything that is hard to cut. */
export const trickyAnswer = answerOf(trickyWord, [
  '# Heading',
  'These:',
  '',
  '   ',
  '\r',
  '`'.repeat(45),
  '~'.repeat(90),
])
/** The same, but everything that looks like a fence is one. */
export const plainAnswer = answerOf(plainWord, ['# Heading', 'These:', '', '   ', '\r'])

function answerOf(word: fc.Arbitrary<string>, lines: readonly string[]): fc.Arbitrary<string> {
  const words = (maxLength: number) =>
    fc
      .array(fc.tuple(word, gap), { minLength: 1, maxLength })
      .map(pairs => pairs.map(([text, space]) => text + space).join(''))
  const list = fc
    .array(fc.tuple(fc.constantFrom('- ', '* ', '1. ', '  - ', '  '), words(5)), {
      minLength: 1,
      maxLength: 5,
    })
    .map(items => items.map(([bullet, text]) => bullet + text).join('\n'))
  const table = fc
    .array(fc.array(words(2), { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 5 })
    .map(rows => rows.map(cells => `| ${cells.join(' | ')} |`).join('\n'))
  const codeLine = fc.oneof(words(4), lineOfCode, fc.constant('code'.repeat(25)))
  const part = fc.oneof(
    { weight: 4, arbitrary: words(12) },
    { weight: 3, arbitrary: fenceOf(codeLine) },
    { weight: 1, arbitrary: list },
    { weight: 1, arbitrary: table },
    { weight: 1, arbitrary: fc.constantFrom(...lines) },
  )
  const between = fc.constantFrom('\n', '\n\n', '\n\n', '\n \n', '\r\n\r\n', '\n\n\n')
  return fc
    .array(fc.tuple(part, between), { maxLength: 6 })
    .map(pairs => pairs.map(([text, space]) => text + space).join(''))
}

function fenceOf(codeLine: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const parts = fc.record({
    indent: fc.constantFrom('', '', ' ', '   '),
    opener: marker,
    name: info,
    lines: fc.array(codeLine, { maxLength: 8 }),
    closing: fc.constantFrom('same', 'same', 'longer', 'spaces', 'none'),
  })
  return parts.map(({ indent, opener, name, lines, closing }) => {
    const ends = { same: [opener], longer: [`${opener}${opener[0]}`], spaces: [` ${opener}  \t`], none: [] }
    return [`${indent}${opener}${name}`, ...lines, ...ends[closing]].join('\n')
  })
}

/** Cuts a text into the pieces in which it arrives. The cuts may be inside of characters. */
export function piecesOf(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = []
  for (let start = 0, turn = 0; start < text.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1
    pieces.push(text.slice(start, start + length))
    start += length
  }
  return pieces
}

export const pieceLengths = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 })

export const chunking = fc
  .record({
    maxChars: fc.oneof(fc.constant(60), fc.integer({ min: 40, max: 200 })),
    share: fc.constantFrom(0, 0.33, 0.66, 1),
    preference: fc.constantFrom('paragraph', 'newline', 'sentence'),
  })
  .map(({ maxChars, share, preference }) => ({
    minChars: Math.floor(maxChars * share),
    maxChars,
    preference,
  }))
