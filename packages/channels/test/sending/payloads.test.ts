import { expect, test } from 'vitest'
import { blocksOf } from '../../src/cutting/block-chunker.ts'
import { joinBlocks } from '../../src/cutting/blocks.ts'
import { cutPayload, finalPayloads, payloadKey, type ReplyPayload } from '../../src/sending/payloads.ts'
import { SentBlockKeys } from '../../src/sending/sent-block-keys.ts'

function sent(...payloads: readonly ReplyPayload[]): SentBlockKeys {
  const keys = new SentBlockKeys()
  for (const payload of payloads) keys.add(payload)
  return keys
}

/** What is still to be sent of one text, when these pieces of it were. */
function restOf(text: string, ...pieces: readonly string[]): (string | undefined)[] {
  const directlySentBlockKeys = sent(...pieces.map(piece => ({ text: piece, messageIndex: 0 })))
  return finalPayloads({ assistantTexts: [text], directlySentBlockKeys }).map(payload => payload.text)
}

test('the key of a payload is what it says: its text but for whitespace, its media, and what it answers', () => {
  const key = payloadKey({ text: ' Hello \n there', media: ['a'], replyTo: '1', messageIndex: 3, id: 'x' })
  expect(payloadKey({ text: 'Hello there', media: ['a'], replyTo: '1' })).toBe(key)
  expect(payloadKey({ text: 'Hellothere', media: ['a'], replyTo: '1' })).not.toBe(key)
  expect(payloadKey({ text: 'Hello there', media: ['b'], replyTo: '1' })).not.toBe(key)
  expect(payloadKey({ text: 'Hello there', media: ['a'] })).not.toBe(key)
  expect(payloadKey({ text: 'a', media: [] })).toBe(payloadKey({ text: 'a' }))
})

test('without anything sent, the finals are the texts of the messages', () => {
  expect(finalPayloads({ assistantTexts: ['One', ' \n', 'Two'], replyTo: '7' })).toEqual([
    { text: 'One', messageIndex: 0, replyTo: '7' },
    { text: 'Two', messageIndex: 2, replyTo: '7' },
  ])
})

test('a text whose blocks were all sent is not sent again, however it was cut', () => {
  expect(restOf('One.\n\nTwo.\n', 'One.\n\nTwo.')).toEqual([])
  expect(restOf('One.\n\nTwo.', 'One.', 'Two.')).toEqual([])
  expect(restOf('One.\n\nTwo.', 'One. T', 'wo.')).toEqual([])
})

test('of a text whose first blocks were sent, only the rest is sent', () => {
  expect(restOf('One.\n\nTwo.\nThree.', 'One.', 'Two.')).toEqual(['Three.'])
  expect(restOf('One.\n\nTwo.', 'One.', 'Zwei.')).toEqual(['Two.'])
})

test('a text is not taken as sent because it is part of another, or another part of it', () => {
  expect(restOf('Yes', 'Yes, and more')).toEqual(['Yes'])
  expect(restOf('He said Yes', 'Yes')).toEqual(['He said Yes'])
})

test('what one message has sent does not count for another', () => {
  const directlySentBlockKeys = sent({ text: 'Yes.', messageIndex: 0 })
  const texts = finalPayloads({ assistantTexts: ['No.', 'Yes.'], directlySentBlockKeys })
  expect(texts).toMatchObject([
    { text: 'No.', messageIndex: 0 },
    { text: 'Yes.', messageIndex: 1 },
  ])
})

test('R80: finals that say the same are one, before they are compared with what was sent', () => {
  const texts = (...assistantTexts: readonly string[]) => finalPayloads({ assistantTexts })
  expect(texts('Yes.', 'No.', ' Yes. \n')).toMatchObject([{ text: 'Yes.' }, { text: 'No.' }])
  // Only of the first is it known that it was sent. The second is still no other message.
  const directlySentBlockKeys = sent({ text: 'Yes.', messageIndex: 0 })
  expect(finalPayloads({ assistantTexts: ['Yes.', 'Yes.'], directlySentBlockKeys })).toEqual([])
})

test('R80: media that were left over twice are sent once', () => {
  const pipeline = {
    hasSentPayload: () => false,
    unsentOf: (payload: ReplyPayload) => payload,
    unsentPayloads: () => [{ media: ['a'] }, { media: ['b'] }, { media: ['a'] }],
  }
  expect(finalPayloads({ assistantTexts: [], pipeline })).toEqual([{ media: ['a'] }, { media: ['b'] }])
})

test('blocks that say the same are counted one by one', () => {
  expect(restOf('Ho!\n\nHo!\n\nHo!', 'Ho!', 'Ho!')).toEqual(['Ho!'])
})

test('a rest that begins inside a fence opens it again, and a fence that is over is left out', () => {
  const text = 'Code:\n```js\nfirst()\n\nsecond()\n```\nAfter.'
  const rest = (piece: string) => sent({ text: piece, messageIndex: 0 }).unsentOf({ text, messageIndex: 0 })
  expect(rest('Code:\n```js\nfirst()')).toMatchObject({
    before: '\n',
    text: '```js\n\nsecond()\n```\nAfter.',
    reopening: '```js\n',
  })
  expect(rest('Code:\n```js\nfirst()\n\nsecond()')).toMatchObject({ before: '\n```\n', text: 'After.' })
  const closed = { text: '```\na()\n```', closing: '\n```', messageIndex: 0 }
  expect(sent(closed).has({ text: '```\na()\n```', messageIndex: 0 })).toBe(true)
})

test('fences that were closed and reopened between blocks do not make a final differ from them', () => {
  const text = `Text.\n\`\`\`js\n${'call()\n'.repeat(30)}\`\`\`\nAfter.`
  const blocks = blocksOf(text, { minChars: 20, maxChars: 60 })
  for (let count = 0; count <= blocks.length; count += 1) {
    const keys = sent(...blocks.slice(0, count).map(block => ({ ...block, messageIndex: 0 })))
    const finals = finalPayloads({ assistantTexts: [text], directlySentBlockKeys: keys })
    const rest = finals.flatMap(final => cutPayload(final, { minChars: 20, maxChars: 60 }))
    const all = [...blocks.slice(0, count), ...rest].map(
      ({ before = '', text: own = '', reopening = '', closing = '' }) => {
        expect(own.length).toBeLessThanOrEqual(60)
        return { before, text: own, reopening, closing }
      },
    )
    expect(joinBlocks(all)).toBe(text)
  }
})

test('the end of a fence that was closed in a block before does not make a final differ from the blocks', () => {
  const [code, end] = ['```\ncode', '\n```\nAfter.']
  const limits = { minChars: 1, maxChars: 60 }
  const text = code + end
  const blocks = [...blocksOf(code, limits), ...blocksOf(end, limits, { after: code })]
  const keys = sent(...blocks.map(block => ({ ...block, messageIndex: 0 })))
  expect(blocks.some(({ before }) => before.includes('```'))).toBe(true)
  expect(finalPayloads({ assistantTexts: [text], directlySentBlockKeys: keys })).toEqual([])
})

test('a payload without a message is known by its key, or as blocks in a row that make it up', () => {
  const keys = sent({ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' })
  expect(keys.has({ text: ' Two. ' })).toBe(true)
  expect(keys.has({ text: 'Two.\nThree.' })).toBe(true)
  expect(keys.has({ text: 'One.\nThree.' })).toBe(false)
  expect(keys.has({ text: 'Two.\nThree.\nFour.' })).toBe(false)
  expect(keys.unsentOf({ text: 'Two. Four.' })).toMatchObject({ text: 'Two. Four.' })
})

test('media are known one by one', () => {
  const keys = sent({ text: 'Look', media: ['a'], messageIndex: 0 })
  expect(keys.unsentOf({ text: 'Look', media: ['a', 'b'], messageIndex: 0 })).toMatchObject({
    text: '',
    media: ['b'],
  })
  expect(keys.has({ media: ['a'] })).toBe(true)
  expect(keys.has({ media: ['b'] })).toBe(false)
})

test('a notice never counts as sent text', () => {
  const keys = sent({ text: 'Searching', isStatus: true, messageIndex: 0 })
  expect(keys.isEmpty).toBe(true)
  expect(keys.has({ text: 'Searching', messageIndex: 0 })).toBe(false)
})

test('with a pipeline the pipeline decides, and its unsent media follow the texts', () => {
  const pipeline = {
    hasSentPayload: ({ text }: ReplyPayload) => text === 'One',
    unsentOf: (payload: ReplyPayload) => payload,
    unsentPayloads: () => [
      { text: 'of a message', messageIndex: 1, media: ['a'] },
      { text: 'a caption', media: ['b'] },
      { text: 'of a message', messageIndex: 1 },
    ],
  }
  const directlySentBlockKeys = sent({ text: 'Two', messageIndex: 1 })
  expect(finalPayloads({ assistantTexts: ['One', 'Two'], pipeline, directlySentBlockKeys })).toEqual([
    { text: 'Two', messageIndex: 1 },
    { media: ['a'], messageIndex: 1 },
    { text: 'a caption', media: ['b'] },
  ])
})

test('a long final is cut into messages, its media after them', () => {
  const cut = cutPayload(
    { text: 'word '.repeat(20), media: ['a'], replyTo: '1', id: 'x' },
    { minChars: 20, maxChars: 60 },
  )
  expect(cut.map(({ text, media, id }) => [text?.length, media, id])).toEqual([
    [59, undefined, 'x.0'],
    [39, undefined, 'x.1'],
    [undefined, ['a'], 'x'],
  ])
  expect(cut.every(({ replyTo }) => replyTo === '1')).toBe(true)
})

test('a final that is cut covers what it covered, with its fence closed and opened again in each message', () => {
  const text = `Some code:\n\`\`\`js\n${'const a = 1\n'.repeat(12)}`
  const directlySentBlockKeys = sent({ text: 'Some code:', messageIndex: 0 })
  const [final = {}] = finalPayloads({ assistantTexts: [text], directlySentBlockKeys })
  const cut = cutPayload(final, { minChars: 20, maxChars: 60 })
  const blocks = cut.map(({ before = '', text = '', reopening = '', closing = '' }) => {
    return { before, text, reopening, closing }
  })
  expect(`Some code:${joinBlocks(blocks)}\n`).toBe(text)
  expect(blocks.every(({ text }) => text.startsWith('```js\n') && text.endsWith('\n```'))).toBe(true)
})

test('a final that follows a text goes on as after that: in its fence, and in the middle of its line', () => {
  const limits = { minChars: 20, maxChars: 60 }
  const inCode = cutPayload({ text: 'b()\n```' }, limits, { after: '```js\na()\n' })
  expect(inCode.map(({ text }) => text)).toEqual(['```js\nb()\n```'])
  const inLine = cutPayload({ text: ' Two.' }, limits, { after: 'One.' })
  expect(inLine).toMatchObject([{ before: ' ', text: 'Two.' }])
})
