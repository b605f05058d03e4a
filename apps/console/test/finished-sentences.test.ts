import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cursorAt, finishedSentences, textStart } from '../src/chat/announcer.tsx'

/** Returns what is said of a text that comes in such pieces. */
function said(pieces: readonly string[]): readonly string[] {
  let text = ''
  let cursor = textStart
  const all: string[] = []
  for (const [index, piece] of pieces.entries()) {
    text += piece
    const read = finishedSentences(text, cursor, index === pieces.length - 1)
    all.push(...read.sentences)
    cursor = read.cursor
  }
  return all
}

test('a sentence is said when the next one begins, and the last one when the text has ended', () => {
  const begun = finishedSentences('Pi is 3.', textStart, false)
  expect(begun.sentences).toEqual([])
  const more = finishedSentences('Pi is 3.14 or so. And', begun.cursor, false)
  expect(more.sentences).toEqual(['Pi is 3.14 or so.'])
  expect(finishedSentences('Pi is 3.14 or so. And on.', more.cursor, true).sentences).toEqual(['And on.'])
})

test('a Chinese sentence is said with its mark', () => {
  const { sentences, cursor } = finishedSentences('今天天气很好。你要出门吗？我', textStart, false)
  expect(sentences).toEqual(['今天天气很好。', '你要出门吗？'])
  expect(finishedSentences('今天天气很好。你要出门吗？我不去！', cursor, false).sentences).toEqual([
    '我不去！',
  ])
})

test('marks of Markdown are not said, and neither is code', () => {
  const text =
    '# Title\n\n- **one** [link](http://a.b)\n- two\n\n```js\nconst a = 1. b\n```\nAfter it. ~~~Not code\n'
  expect(said([text])).toEqual(['Title', 'one link', 'two', 'After it.', 'Not code'])
  expect(said(['```js\nlet a.', ' b\n``', '`\nDone.'])).toEqual(['Done.'])
})

test('what was there before is not said', () => {
  const text = 'One. Two.\n```\ncode. '
  const cursor = cursorAt(text, text.length)
  expect(finishedSentences(`${text}more.\n\`\`\`\nThree.\n`, cursor, true).sentences).toEqual(['Three.'])
})

test('every word is said once and in order, whatever the pieces are', () => {
  const piece = fc.constantFrom('one', 'two. ', '三。', '! ', '\n', ' four', '\n\n- five', '? ')
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 40 }), pieces => {
      const words = (text: string) => text.match(/[a-z]+|三/g) ?? []
      expect(words(said(pieces).join(' ')).join('')).toEqual(words(pieces.join('')).join(''))
    }),
  )
})
