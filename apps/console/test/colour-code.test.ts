import { typescript } from '@codemirror/legacy-modes/mode/javascript'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Colours, colourCode, noColours } from '../src/markdown/code/colour-code.ts'
import { loadLanguage } from '../src/markdown/code/languages.ts'

const always = { parser: typescript, isTimeUp: () => false }

const fragment = fc.constantFrom(
  ...[
    'const a = 1',
    '/*',
    '*/',
    '// no',
    '`',
    '${',
    '}',
    '"',
    "'",
    '\n',
    '\n\n',
    ' ',
    'async ',
    'x',
    '/',
    '<T>',
  ],
)
const code = fc.array(fragment, { maxLength: 40 }).map(fragments => fragments.join(''))

describe('code that grows', () => {
  test('has the same colours, however it came and wherever it was cut', () => {
    fc.assert(
      fc.property(code, fc.array(fc.nat(12)), fc.array(fc.nat(30)), (text, sizes, cuts) => {
        let colours = noColours
        for (let length = 0, step = 0; length < text.length; step += 1) {
          length += sizes[step] ?? 5
          if ((sizes[step] ?? 5) === 0) length += 1
          colours = colourCode([text.slice(0, length)], colours, always)
        }
        expect(tokensIn(colourCode(cutAtLines(text, cuts), colours, always))).toEqual(
          tokensIn(colourCode([text], noColours, always)),
        )
      }),
      { numRuns: 500 },
    )
  })

  test('keeps its finished groups of lines as they are, so that none is drawn again', () => {
    const lines = Array.from({ length: 100 }, (_, line) => `const a${line} = ${line}\n`).join('')
    const before = colourCode([lines], noColours, always)
    const after = colourCode([lines, 'const b = 2\n'], before, always)
    expect(before.groups).toHaveLength(4)
    expect(after.groups.slice(0, 3).every((group, index) => group === before.groups[index])).toBe(true)
  })

  test('is coloured in several turns when the time is up, and no character is missing in between', () => {
    const text = 'let a = 1\n'.repeat(10)
    let colours = colourCode([text], noColours, { parser: typescript, isTimeUp: () => true })
    expect(colours.length).toBe(10)
    expect(shownIn(colours)).toBe(text)
    for (let turn = 0; turn < 20; turn += 1)
      colours = colourCode([text], colours, { parser: typescript, isTimeUp: () => true })
    expect(tokensIn(colours)).toEqual(tokensIn(colourCode([text], noColours, always)))
  })

  test('begins anew when it is other code', () => {
    const before = colourCode(['/* a comment\n'], noColours, always)
    const after = colourCode(['let a\n'], before, always)
    expect(after.groups).toEqual(colourCode(['let a\n'], noColours, always).groups)
  })
})

test('a comment over several lines is a comment on all of them', () => {
  const { groups } = colourCode(['/* one\n two */ let a\n'], noColours, always)
  expect(groups[0]?.[0]?.[0]).toEqual({ text: '/* one', kind: 'comment' })
  expect(groups[0]?.[1]?.slice(0, 1)).toEqual([{ text: ' two */', kind: 'comment' }])
})

test('a line that is very long has no colours, and the lines after it have', () => {
  const { groups } = colourCode([`"${'x'.repeat(3_000)}"\nlet a\n`], noColours, always)
  expect(groups[0]?.[0]?.[0]?.kind).toBeUndefined()
  expect(groups[0]?.[1]?.[0]).toEqual({ text: 'let', kind: 'keyword' })
})

test.each(['ts', 'PYTHON', 'c++', 'php', 'bash', 'yaml', 'diff', 'html', 'sql', 'rust'])(
  'the parser of %s is found, and it reads text of any kind without losing a character',
  async name => {
    const parser = await loadLanguage(name)
    if (parser === undefined) throw new Error(`There is no parser for ${name}.`)
    fc.assert(
      fc.property(fc.oneof(code, fc.string({ unit: 'binary', maxLength: 200 })), text => {
        expect(shownIn(colourCode([text], noColours, { parser, isTimeUp: () => false }))).toBe(text)
      }),
      { numRuns: 100 },
    )
  },
)

test('an unknown language has no parser', async () => {
  expect(await loadLanguage('klingon')).toBeUndefined()
  expect(await loadLanguage('constructor')).toBeUndefined()
})

function cutAtLines(text: string, cuts: readonly number[]): readonly string[] {
  const lines = text.split(/(?<=\n)/)
  const first = lines.slice(0, cuts[0] ?? 0).join('')
  return [first, text.slice(first.length)].filter((piece, index) => piece !== '' || index === 0)
}

function tokensIn({ groups, open }: Colours) {
  return [...groups.flat(2), ...open]
}

function shownIn(colours: Colours): string {
  return (
    tokensIn(colours)
      .map(({ text }) => text)
      .join('') + colours.rest
  )
}
