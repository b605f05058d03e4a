import fc from 'fast-check'
import { expect, test } from 'vitest'
import { blocksOf } from '../../src/cutting/block-chunker.ts'
import { type Block, joinBlocks } from '../../src/cutting/blocks.ts'
import { fenceAfterText } from '../../src/cutting/fences.ts'
import { type AnswerSoFar, finalPayloads } from '../../src/sending/final-payloads.ts'
import { isBlock, type Post, payloadKey, reachOf } from '../../src/sending/post.ts'
import { chunking, trickyAnswer } from '../cutting/answer-arbitrary.ts'

const limits = { minChars: 20, maxChars: 60 }

/** Returns what is saved for an answer when the outbox has these posts. */
function savedFor(
  answer: Partial<AnswerSoFar>,
  sent: readonly Post[] = [],
  wanted = limits,
): readonly Post[] {
  const posts = [...sent]
  const outbox = {
    get reach() {
      return reachOf(posts)
    },
    hasSentPayload: (post: Post) => posts.some(other => payloadKey(other) === payloadKey(post)),
  }
  const { said = '', files = new Map(), upTo = said.length } = answer
  for (const post of finalPayloads({ said, files, upTo }, outbox, wanted)) posts.push(post)
  return posts.slice(sent.length)
}

function textsFor(said: string, ...sent: readonly string[]): readonly (string | undefined)[] {
  return savedFor(
    { said },
    sent.map(text => ({ text })),
  ).map(({ text }) => text)
}

function blockOf({ before = '', text = '', reopening = '', closing = '' }: Post): Block {
  return { before, text, reopening, closing }
}

test('R60: when nothing was sent, all of the text is left; of whitespace nothing is', () => {
  expect(textsFor('One.')).toEqual(['One.'])
  expect(textsFor(' \n')).toEqual([])
  expect(textsFor('')).toEqual([])
})

test('R60: of a text whose first blocks were sent only the rest is left, however it was cut', () => {
  expect(savedFor({ said: 'One. Two.' }, [{ text: 'One.' }])).toMatchObject([{ before: ' ', text: 'Two.' }])
  expect(textsFor('One. Two.', 'One. T')).toEqual(['wo.'])
  expect(textsFor('One.\n\n', 'One.')).toEqual([])
  expect(textsFor('One.', 'One.')).toEqual([])
})

test('an answer that repeats itself is counted by its positions', () => {
  const sent = [{ text: 'Ho!' }, { before: ' ', text: 'Ho!' }]
  expect(savedFor({ said: 'Ho! Ho! Ho!' }, sent)).toMatchObject([{ before: ' ', text: 'Ho!' }])
})

test('notices, files and approvals are no part of the text', () => {
  const sent = [{ text: 'One.', isStatus: true }, { media: ['a'] }]
  expect(savedFor({ said: 'One.' }, sent)).toMatchObject([{ text: 'One.' }])
})

test('a file goes behind the text before it, and one that was sent is not sent again', () => {
  const said = 'Before. After.'
  const files = new Map([
    ['a', 'Before.'.length],
    ['b', said.length],
  ])
  const whole = [{ text: 'Before.' }, { media: ['a'] }, { text: 'After.' }, { media: ['b'] }]
  expect(savedFor({ said, files })).toMatchObject(whole)
  expect(savedFor({ said, files }, [{ text: 'Before.' }, { media: ['a'] }])).toMatchObject(whole.slice(2))
  expect(savedFor({ said, files }, [{ text: 'Before.' }])).toMatchObject(whole.slice(1))
})

test('what comes behind a position is left out, so no word is cut in two there', () => {
  expect(savedFor({ said: 'One. Tw', upTo: 4 })).toMatchObject([{ text: 'One.' }])
  expect(savedFor({ said: 'One. Tw', upTo: 4 }, [{ text: 'One.' }])).toEqual([])
  expect(savedFor({ said: 'One. Tw', upTo: 0 })).toEqual([])
})

test('a rest that begins inside a fence opens it again, and a fence that is over is left out', () => {
  const said = 'Code:\n```js\nfirst()\n\nsecond()\n```\nAfter.'
  expect(savedFor({ said }, [{ text: 'Code:\n```js\nfirst()' }])).toMatchObject([
    { before: '\n', text: '```js\n\nsecond()\n```\nAfter.', reopening: '```js\n' },
  ])
  expect(savedFor({ said }, [{ text: 'Code:\n```js\nfirst()\n\nsecond()' }])).toMatchObject([
    { before: '\n```\n', text: 'After.' },
  ])
})

test('the end of a fence that was closed in a block before is not left over', () => {
  const [code, end] = ['```\ncode', '\n```\nAfter.']
  const blocks = [...blocksOf(code, limits), ...blocksOf(end, limits, { after: code })]
  expect(blocks.some(({ before }) => before.includes('```'))).toBe(true)
  expect(savedFor({ said: code + end }, blocks)).toEqual([])
})

test('whatever was sent, the rest makes up the text with it, fits, and closes its fences', () => {
  fc.assert(
    fc.property(trickyAnswer, chunking, fc.nat(), fc.nat(), (said, wanted, count, position) => {
      const blocks = blocksOf(said, wanted)
      const sent = blocks.slice(0, count % (blocks.length + 1))
      const files = new Map([['a', position % (said.length + 1)]])
      const saved = savedFor({ said, files }, sent, wanted)
      const joined = joinBlocks([...sent, ...saved].filter(isBlock).map(blockOf))
      expect(said.startsWith(joined)).toBe(true)
      expect(said.slice(joined.length)).toMatch(/^\s*(?:(?:`{3,}|~{3,})\s*)?$/)
      expect(saved.filter(({ media }) => media !== undefined)).toEqual([{ media: ['a'] }])
      for (const { text = '' } of saved) {
        expect(text.length).toBeLessThanOrEqual(wanted.maxChars)
        expect(fenceAfterText(undefined, text)).toBeUndefined()
      }
    }),
    { numRuns: 2_000 },
  )
})
