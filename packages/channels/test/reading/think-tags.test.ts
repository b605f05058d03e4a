import fc from 'fast-check'
import { expect, test } from 'vitest'
import { endThinkTags, noThinkTags, stripThinkTags } from '../../src/reading/think-tags.ts'
import { pieceLengths, piecesOf } from '../cutting/answer-arbitrary.ts'

function shown(...pieces: readonly string[]): string {
  let tags = noThinkTags
  let text = ''
  for (const piece of pieces) {
    const untagged = stripThinkTags(tags, piece)
    tags = untagged.tags
    text += untagged.text
  }
  return text + endThinkTags(tags).text
}

test('what a model thinks is not shown, whatever the tag is called', () => {
  for (const name of ['think', 'thinking', 'antthinking', 'mm:think', 'a.b-c:Thinking', 'THINK']) {
    expect(shown(`Yes.<${name}>No? <b>No!</b></${name}> Yes.`)).toBe('Yes. Yes.')
  }
  expect(shown('<think mode="deep" >a</ think\n>b')).toBe('b')
  expect(shown('a<think/>b')).toBe('ab')
})

test('a tag may be split over pieces at every place', () => {
  const text = 'Before <think>hidden</think> after < b'
  for (let cut = 0; cut <= text.length; cut += 1) {
    expect(shown(text.slice(0, cut), text.slice(cut))).toBe('Before  after < b')
  }
  expect(shown(...text)).toBe('Before  after < b')
})

test('thinking that never ends is never shown, and a closing tag alone is taken out', () => {
  expect(shown('Before <think>hidden, <i>really')).toBe('Before ')
  expect(shown('Before <think')).toBe('Before <think')
  expect(shown('a</think>b')).toBe('ab')
})

test('the first closing tag ends the thinking, even if tags were mentioned in it', () => {
  expect(shown('<think>The <think> tag. `</think>` Yes')).toBe('` Yes')
})

test('a tag in code is text', () => {
  for (const text of [
    'Write `<think>` and `</think>`.',
    'Write ``a ` <think>`` here',
    '```xml\n<think>\n</think>\n```\nAfter',
    '~~~\n```\n<think>\n~~~\nAfter',
    '```<think>``` in a line',
  ]) {
    expect(shown(text)).toBe(text)
    expect(shown(...text)).toBe(text)
  }
})

test('a backtick that opens no code does not protect the lines after it', () => {
  expect(shown('One ` alone\n<think>hidden</think>after')).toBe('One ` alone\nafter')
  expect(shown('```\ncode\n```\n<think>hidden</think>after')).toBe('```\ncode\n```\nafter')
})

test('what is no tag is shown and not held for long', () => {
  for (const text of [
    'a < b',
    'a <b>',
    '<thinker>',
    '<thin',
    '<',
    'List<think',
    `<think ${'x'.repeat(200)}>`,
  ]) {
    expect(shown(text)).toBe(text)
    expect(shown(...text)).toBe(text)
  }
  expect(stripThinkTags(noThinkTags, `<think ${'x'.repeat(200)}`).text).not.toBe('')
})

test('what is shown does not depend on the pieces', () => {
  const token = fc.constantFrom(
    '<think>',
    '</think>',
    '<',
    '>',
    '/',
    'think',
    '`',
    '```',
    '\n',
    ' a',
    '<x:thinking a="b">',
    '~~~',
    '</antthinking >',
  )
  const text = fc.array(token, { maxLength: 12 }).map(tokens => tokens.join(''))
  fc.assert(
    fc.property(text, pieceLengths, (whole, lengths) => {
      expect(shown(...piecesOf(whole, lengths))).toBe(shown(whole))
    }),
    { numRuns: 5000 },
  )
})
