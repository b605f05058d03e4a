import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Piece, ThinkingSplitter } from '../../src/message/thinking-splitter.ts'

const thought: Piece = { type: 'reasoning', text: 'Hm.' }
const answer: Piece = { type: 'text', text: 'Yes.' }

describe('a tag', () => {
  test.each([
    '<think>Hm.</think>Yes.',
    '<think>\nHm.</think>\n\nYes.',
    '\n\n<think>Hm.</think>Yes.',
    '<thinking>Hm.</thinking>Yes.',
    '<antThinking>Hm.</antThinking>Yes.',
    '<THINK>Hm.</THINK>Yes.',
    '<mm:think>Hm.</mm:think>Yes.',
    '<a.b-c:Thinking>Hm.</a.b-c:Thinking>Yes.',
    '<think mode="deep" >Hm.</ think\n>Yes.',
    '<think lang="en">Hm.</think >Yes.',
    '< think >Hm.</ think>Yes.',
    // Some begin twice.
    '<think><think>Hm.</think>Yes.',
    // The first end counts.
    '<think>Hm.</thinking>Yes.',
  ])('makes reasoning of what is in it: %j', text => {
    expect(split([text])).toEqual([thought, answer])
  })

  test('may come anywhere in the text, and more than once', () => {
    expect(split(['Well. <think>a</think> So. <think>b</think> There.'])).toEqual([
      { type: 'text', text: 'Well. ' },
      { type: 'reasoning', text: 'a' },
      { type: 'text', text: 'So. ' },
      { type: 'reasoning', text: 'b' },
      { type: 'text', text: 'There.' },
    ])
  })

  test('that never ends makes reasoning of all the rest', () => {
    expect(split(['Well. <think>Hm. `</b` Hm.'])).toEqual([
      { type: 'text', text: 'Well. ' },
      { type: 'reasoning', text: 'Hm. `</b` Hm.' },
    ])
  })

  test('mentioned in the thinking does not count, and the first end does, also in code', () => {
    expect(split(['<think>The <think> tag. `</think>` Yes'])).toEqual([
      { type: 'reasoning', text: 'The tag. `' },
      { type: 'text', text: '` Yes' },
    ])
  })

  test('may be cut at every place', () => {
    const text = 'Before <think>Hm.</think> after < b'
    const pieces = [{ type: 'text', text: 'Before ' }, thought, { type: 'text', text: 'after < b' }]
    for (let cut = 0; cut <= text.length; cut += 1) {
      expect(split([text.slice(0, cut), text.slice(cut)])).toEqual(pieces)
    }
    expect(split([...text])).toEqual(pieces)
  })

  test('that ends itself is nothing', () => {
    expect(split(['<think/>Yes.'])).toEqual([answer])
    expect(split(['Y<think/>es.'])).toEqual([answer])
    expect(split(['<think></think>Yes.'])).toEqual([answer])
  })

  test.each([
    'Put it in `<think>` and `</think>`.',
    'Like ``a`<think>b</think>``.',
    '```xml\n<think>a</think>\n```\n',
    '~~~\n<think>a</think>\n~~~\n',
    '~~~\n```\n<think>\n~~~\nAfter',
    '```<think>``` in a line',
    'Write ``a ` <think>`` here',
    '- In a list:\n\n  ```xml\n  <think>a</think>\n  ```\n',
    '1. ```xml\n   <think>a</think>\n   ```\n',
    '> ```\n> <think>a</think>\n> ```\n',
    '````\n```\n<think>a</think>\n```\n````\n',
    'List<think',
    'a < b, <thinker>, <thin, <b>k</b>, <!-- think --> </ b>',
    'It ends with <thi',
    'It ends with <',
    `<think ${'x'.repeat(200)}>`,
  ])('is only text where it is code, or no tag at all: %j', text => {
    expect(split([text])).toEqual([{ type: 'text', text }])
  })

  test('that gets too long is held back no more', () => {
    expect(new ThinkingSplitter().take(`<think ${'x'.repeat(200)}`)).not.toEqual([])
  })

  test('counts again after the code', () => {
    expect(split(['`a`<think>Hm.</think>'])).toEqual([{ type: 'text', text: '`a`' }, thought])
    expect(split(['```\na\n```\n<think>Hm.</think>'])).toEqual([
      { type: 'text', text: '```\na\n```\n' },
      thought,
    ])
    // Code within a line ends with the line.
    expect(split(['a ` b\n<think>Hm.</think>'])).toEqual([{ type: 'text', text: 'a ` b\n' }, thought])
  })

  // Some models begin to think without saying so: their prompt has the tag. What they said has been shown by then.
  test('that closes what was never opened is dropped at the start of a line, and text elsewhere', () => {
    expect(split(['So I think.\n</think>\n\nYes.'])).toEqual([{ type: 'text', text: 'So I think.\nYes.' }])
    expect(split(['Write </think> at the end.'])).toEqual([
      { type: 'text', text: 'Write </think> at the end.' },
    ])
  })
})

test('how the text is cut makes no difference', () => {
  fc.assert(
    fc.property(taggedText, fc.array(fc.nat(200)), (text, cuts) => {
      expect(split(cutAt(text, cuts))).toEqual(split([text]))
    }),
    { numRuns: 2_000 },
  )
})

test('text without a bracket comes through as it is, each piece at once', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme', minLength: 1 }).filter(isPlain)), pieces => {
      const splitter = new ThinkingSplitter()
      splitter.take('.')
      for (const text of pieces) expect(splitter.take(text)).toEqual([{ type: 'text', text }])
      expect(splitter.pause()).toEqual([])
    }),
  )
})

test('no word is lost, and all of them stay in order', () => {
  fc.assert(
    fc.property(wholeTags, text => {
      const kept = split([text]).map(piece => piece.text)
      expect(words(kept.join(''))).toBe(words(text))
    }),
    { numRuns: 2_000 },
  )
})

test('what is in tags is reasoning, and what is not is text', () => {
  const word = fc.stringMatching(/^[a-d .,\n]{0,12}$/)
  fc.assert(
    fc.property(fc.array(fc.tuple(word, word)), word, (pairs, last) => {
      const text = pairs.map(([said, thought]) => `${said}<think>${thought}</think>`).join('') + last
      const joined = (type: Piece['type']) =>
        split([text]).flatMap(piece => (piece.type === type ? [piece.text] : []))
      expect(words(joined('reasoning').join(''))).toBe(words(pairs.map(([, thought]) => thought).join('')))
      expect(words(joined('text').join(''))).toBe(words(pairs.map(([said]) => said).join('') + last))
    }),
  )
})

test('thinking goes on across what comes between, and what was held back comes before it', () => {
  const splitter = new ThinkingSplitter()
  expect(splitter.take('<think>Hm')).toEqual([{ type: 'reasoning', text: 'Hm' }])
  expect(splitter.take('. <')).toEqual([{ type: 'reasoning', text: '. ' }])
  expect(splitter.pause()).toEqual([{ type: 'reasoning', text: '<' }])
  expect(splitter.take('b</think>Yes.')).toEqual([{ type: 'reasoning', text: 'b' }, answer])
})

const whole = [
  '<think>',
  '</think>',
  '<x:thinking x="y">',
  '</x:thinking>',
  ' ',
  '\n',
  '`',
  '```',
  '~~~',
  '- ',
  '> ',
]
const said = ['a', 'b c', '🙂']
// May make a tag together, or not.
const broken = ['<', '>', '/', '<b>', 'think', '<thi', 'nk>', ' lang=']
const wholeTags = textOf(whole, said)
const taggedText = textOf(whole, said, broken)

function textOf(...kinds: readonly (readonly string[])[]): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...kinds.flat()), { maxLength: 30 }).map(parts => parts.join(''))
}

function split(texts: readonly string[]): readonly Piece[] {
  const splitter = new ThinkingSplitter()
  const joined: Piece[] = []
  for (const { type, text } of [...texts.flatMap(each => splitter.take(each)), ...splitter.pause()]) {
    const last = joined.at(-1)
    if (last?.type === type) joined[joined.length - 1] = { type, text: last.text + text }
    else joined.push({ type, text })
  }
  return joined
}

function cutAt(text: string, cuts: readonly number[]): readonly string[] {
  const positions = [0, ...cuts.filter(cut => cut < text.length), text.length].toSorted((a, b) => a - b)
  return positions.slice(1).map((position, index) => text.slice(positions[index], position))
}

function isPlain(text: string): boolean {
  return !text.includes('<')
}

/** Without tags and whitespace, which may go. */
function words(text: string): string {
  return text.replaceAll(/[^a-d🙂]/gu, '')
}
