import { expect, test } from 'vitest'
import { BlockChunker, blocksOf } from '../../src/cutting/block-chunker.ts'
import { type Block, type BlockChunkerOptions, chunkLimits, joinBlocks } from '../../src/cutting/blocks.ts'

const small = { minChars: 20, maxChars: 60 } as const

function textsOf(text: string, options: BlockChunkerOptions = small): string[] {
  const blocks = blocksOf(text, options)
  expect(joinBlocks(blocks)).toBe(text.trimEnd())
  return blocks.map(block => block.text)
}

function drained(chunker: BlockChunker, force = false): string[] {
  const texts: string[] = []
  chunker.drain({ force, emit: block => texts.push(block.text) })
  return texts
}

test('nothing is given out below the minimum, unless it is forced', () => {
  const chunker = new BlockChunker(small)
  chunker.append('One.\n\nTwo.\n\nThree.')
  expect(drained(chunker)).toEqual([])
  expect(chunker.hasBuffered()).toBe(true)
  expect(drained(chunker, true)).toEqual(['One.\n\nTwo.\n\nThree.'])
  expect(chunker.hasBuffered()).toBe(false)
  expect(drained(chunker, true)).toEqual([])
})

test('the buffer is private and read as bufferedText', () => {
  const chunker = new BlockChunker(small)
  chunker.append('  Some ')
  chunker.append('text')
  expect(Object.keys(chunker)).toEqual([])
  expect(chunker.bufferedText).toBe('  Some text')
  chunker.reset()
  expect(chunker.bufferedText).toBe('')
  expect(chunker.hasBuffered()).toBe(false)
  chunker.append('Other')
  expect(drained(chunker, true)).toEqual(['Other'])
})

test('a paragraph that is long enough goes out when the next one begins', () => {
  const chunker = new BlockChunker(small)
  chunker.append('A first paragraph of some length.\n\n')
  expect(drained(chunker)).toEqual([])
  chunker.append('\nN')
  expect(drained(chunker)).toEqual(['A first paragraph of some length.'])
  expect(chunker.bufferedText).toBe('\n\n\nN')
})

test('by preference, lines and sentences go out as soon as they are long enough, too', () => {
  const text = 'A sentence that is long. And more\nof a line that ends. Then\n\nthe end.'
  expect(textsOf(text, small)).toEqual([
    'A sentence that is long. And more\nof a line that ends. Then',
    'the end.',
  ])
  expect(textsOf(text, { ...small, preference: 'newline' })).toEqual([
    'A sentence that is long. And more',
    'of a line that ends. Then',
    'the end.',
  ])
  expect(textsOf(text, { ...small, preference: 'sentence' })).toEqual([
    'A sentence that is long.',
    'And more\nof a line that ends.',
    'Then\n\nthe end.',
  ])
})

test('at the maximum a line break comes before a sentence end, and that before a space', () => {
  const line = 'A line of words here. More words follow'
  expect(textsOf(`${line}\nand here the text goes on. On and on, without an end`)[0]).toBe(line)
  expect(textsOf(`${line}, and here the text goes on and on`)[0]).toBe('A line of words here.')
  expect(textsOf(`${line.replace('.', ',')}, and here the text goes on and on`)[0]).toBe(
    'A line of words here, More words follow, and here the text',
  )
})

test('the latest of the best breaks is taken, so that a space past the minimum breaks no sentence', () => {
  const text = 'Twenty characters are. Then a sentence ends here. And another one is cut off'
  expect(textsOf(text)[0]).toBe('Twenty characters are. Then a sentence ends here.')
})

test('the separators between blocks are kept', () => {
  const text =
    'A first paragraph of text.\n \n\n　　Indented and a sentence. Another  one that is long。又一句话在这里'
  const blocks = blocksOf(text, { ...small, preference: 'sentence' })
  expect(blocks.map(({ before, text: shown }) => [before, shown])).toEqual([
    ['', 'A first paragraph of text.'],
    ['\n \n\n', '　　Indented and a sentence.'],
    [' ', 'Another  one that is long。'],
    ['', '又一句话在这里'],
  ])
  expect(joinBlocks(blocks)).toBe(text)
})

test('whitespace alone is no block, and waits for the text that follows', () => {
  const chunker = new BlockChunker(small)
  const blocks: Block[] = []
  const emit = (block: Block) => blocks.push(block)
  chunker.append(`Hello  ${'\n'.repeat(100)}`)
  chunker.drain({ force: true, emit })
  chunker.append(' '.repeat(100))
  chunker.drain({ force: true, emit })
  expect(chunker.hasBuffered()).toBe(false)
  chunker.append('you\n')
  chunker.drain({ force: true, emit })
  expect(blocks.map(block => block.text)).toEqual(['Hello', 'you'])
  expect(joinBlocks(blocks) + chunker.bufferedText).toBe(`Hello  ${'\n'.repeat(100)}${' '.repeat(100)}you\n`)
})

test('sentences end at Chinese and Japanese marks and at line separators, with quotes and emoji', () => {
  const preference = 'sentence'
  for (const end of ['。', '！', '？', '；', '…', '。”', '！）', '？！', '……', '。😀', '！👍🏽']) {
    const sentence = `这是一个很长很长很长很长很长很长的中文句子${end}`
    expect(textsOf(`${sentence}然后是下一句`, { ...small, preference })).toEqual([sentence, '然后是下一句'])
  }
  for (const separator of ['\u2028', '\u2029']) {
    const texts = textsOf(`Twenty characters and more${separator}then the next`, { ...small, preference })
    expect(texts).toEqual(['Twenty characters and more', 'then the next'])
  }
})

test('a point ends a sentence only before whitespace, also after quotes, and not after the number of a list item', () => {
  const options = { minChars: 1, maxChars: 60, preference: 'sentence' } as const
  expect(textsOf('Use v1.2.3 now. Really "now." Yes', options)).toEqual([
    'Use v1.2.3 now.',
    'Really "now."',
    'Yes',
  ])
  expect(textsOf('Steps\n12. Go there! Then 3. times', options)).toEqual([
    'Steps',
    '12. Go there!',
    'Then 3.',
    'times',
  ])
})

test('a text without any break is cut between two characters', () => {
  const family = '👨‍👩‍👧‍👦'
  const texts = textsOf(`${'中'.repeat(55)}${family.repeat(6)}`)
  expect(texts).toEqual(['中'.repeat(55), family.repeat(5), family])
})

test('blank lines inside a fence are content, and a fence that fits is not cut', () => {
  const code = '```js\nfirst()\n\n\nsecond()\n\nthird()\n```'
  expect(textsOf(`Twenty characters of text.\n${code}\nThen more text that goes on.`)).toEqual([
    'Twenty characters of text.',
    `${code}`,
    'Then more text that goes on.',
  ])
})

test('a fence that would be torn begins a block, however short the block before', () => {
  const code = `\`\`\`js\n${'call()\n'.repeat(7)}\`\`\``
  expect(textsOf(`Look:\n${code}`)).toEqual(['Look:', code])
})

test('a fence longer than a block is closed and opened again with the same line, between two lines of code', () => {
  const lines = Array.from({ length: 14 }, (_, index) => `line ${index}`)
  const blocks = blocksOf(`  ~~~~ts x\n${lines.join('\n')}\n~~~~~`, small)
  expect(blocks).toEqual([
    {
      before: '',
      text: `  ~~~~ts x\n${lines.slice(0, 6).join('\n')}\n~~~~`,
      reopening: '',
      closing: '\n~~~~',
    },
    {
      before: '\n',
      text: `  ~~~~ts x\n${lines.slice(6, 12).join('\n')}\n~~~~`,
      reopening: '  ~~~~ts x\n',
      closing: '\n~~~~',
    },
    { before: '\n', text: '  ~~~~ts x\nline 12\nline 13\n~~~~~', reopening: '  ~~~~ts x\n', closing: '' },
  ])
})

test('there is always room for the line that closes a fence', () => {
  for (let length = 30; length < 70; length += 1) {
    for (const text of textsOf(`\`\`\`js\n${'x'.repeat(length)}\n\`\`\``))
      expect(text.length).toBeLessThanOrEqual(60)
  }
})

test('a closing line just past the maximum is not shown as a fence of its own', () => {
  const text = `\`\`\`\n${'x'.repeat(52)}\n\`\`\`\`\`\`\nAfter.`
  expect(textsOf(text)).toEqual([`\`\`\`\n${'x'.repeat(52)}\n\`\`\``, 'After.'])
  expect(blocksOf(text, small)[1]?.before).toBe('\n``````\n')
})

test('an open fence is closed by force and opened again for what follows', () => {
  const chunker = new BlockChunker(small)
  chunker.append('```js\nfirst()\n')
  expect(drained(chunker, true)).toEqual(['```js\nfirst()\n```'])
  chunker.append('\nsecond()')
  expect(drained(chunker, true)).toEqual(['```js\n\nsecond()\n```'])
  chunker.append('\n```')
  expect(drained(chunker, true)).toEqual([])
  chunker.append('\nAfter.')
  expect(drained(chunker, true)).toEqual(['After.'])
})

test('an opening line too long to be repeated goes on without its info string', () => {
  const text = `\`\`\`js ${'x'.repeat(30)}\n${'code();'.repeat(12)}\n\`\`\``
  expect(textsOf(text)[1]?.startsWith('```\n')).toBe(true)
  expect(textsOf(text, { minChars: 20, maxChars: 90 })[1]?.startsWith(`\`\`\`js ${'x'.repeat(30)}\n`)).toBe(
    true,
  )
})

test('an opening line longer than a block is cut like code', () => {
  const texts = textsOf(`\`\`\`${'x'.repeat(100)}\ncode\n\`\`\``)
  expect(texts).toEqual([`\`\`\`${'x'.repeat(53)}\n\`\`\``, `\`\`\`\n${'x'.repeat(47)}\ncode\n\`\`\``])
})

test('code with markers in its lines stays code when it is cut through', () => {
  const texts = textsOf(`\`\`\`\n${'x'.repeat(52)}\`\`\`${'y'.repeat(60)}\n\`\`\`\nAfter.`)
  expect(texts.map(text => text.split('\n').at(1)?.[0])).toEqual(['x', 'x', 'y'])
})

test('no block begins with markers that stood in the middle of a line', () => {
  for (const words of [
    'Some-words-without-an-end ',
    'The end of a sentence. ',
    '这是一个很长很长很长很长很长的句子。',
  ]) {
    const text = `${words}~~~${'x'.repeat(60)}`
    expect(textsOf(text)).toEqual([text.slice(0, 60), text.slice(60)])
  }
})

test('a table is not torn: it begins a block', () => {
  const table = '| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n| 5 | 6 |'
  expect(textsOf(`Numbers, as asked.\n${table}\nThat was it.`)).toEqual([
    'Numbers, as asked.',
    table,
    'That was it.',
  ])
  expect(textsOf(`A text of more than twenty characters.\n${table}`)).toEqual([
    'A text of more than twenty characters.',
    table,
  ])
})

test('a table longer than a block is cut between two rows', () => {
  const row = '| some cell. | another |'
  expect(textsOf(Array(5).fill(row).join('\n'))).toEqual([`${row}\n${row}`, `${row}\n${row}`, row])
})

test('a list is cut between two items rather than inside one', () => {
  const text = '- The first item. It is here.\n- The second\n  which goes on. On and on and on'
  expect(textsOf(text)).toEqual([
    '- The first item. It is here.',
    '- The second\n  which goes on. On and on and on',
  ])
})

test('a heading and a line that ends with a colon stay with what they announce', () => {
  expect(textsOf('Twenty characters of text.\n\n## Heading\n\nThe text below the heading')).toEqual([
    'Twenty characters of text.',
    '## Heading\n\nThe text below the heading',
  ])
  expect(textsOf('Some text.\nThese are the steps:\n\n1. Do it\n2. Do it again and again')).toEqual([
    'Some text.\nThese are the steps:\n\n1. Do it',
    '2. Do it again and again',
  ])
})

test('what emit throws does not bring a block back', () => {
  const chunker = new BlockChunker(small)
  chunker.append('One.')
  const emit = () => {
    throw new Error('no')
  }
  expect(() => chunker.drain({ force: true, emit })).toThrow('no')
  expect(drained(chunker, true)).toEqual([])
})

test('a megabyte in pieces of five characters is cut like any text, whatever it is made of', () => {
  const limits = { minChars: 800, maxChars: 1200 }
  const code = '```js\ncall()\n\n```\n'
  for (const unit of [
    'A sentence of some words.\n\n',
    '这是一句话。',
    code,
    '```\n',
    ' ',
    '\n',
    'x',
    '🇩🇪',
    '| a | b |\n',
  ]) {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length))
    const chunker = new BlockChunker(limits)
    const blocks: Block[] = []
    const emit = (block: Block) => blocks.push(block)
    for (let start = 0; start < text.length; start += 5) {
      chunker.append(text.slice(start, start + 5))
      chunker.drain({ emit })
    }
    chunker.drain({ force: true, emit })
    expect(joinBlocks(blocks) + chunker.bufferedText === text).toBe(true)
    expect(blocks.every(block => block.text.length <= limits.maxChars)).toBe(true)
  }
})

test('what is being written can be looked at, as the block that force would make of it', () => {
  const chunker = new BlockChunker({ minChars: 100, maxChars: 200 })
  const peek = (text: string) => {
    chunker.append(text)
    chunker.drain({ emit: () => undefined })
    return chunker.peek()?.text
  }
  expect(peek('  \n')).toBeUndefined()
  expect(peek('The sky ')).toBe('The sky')
  expect(peek('is:\n```js\na()')).toBe('The sky is:\n```js\na()\n```')
  expect(chunker.bufferedText).toBe('  \nThe sky is:\n```js\na()')
})

test('what may turn out to be the end of a fence, and so no block, is not shown before that is known', () => {
  const chunker = new BlockChunker({ minChars: 1, maxChars: 60 })
  const peek = (text: string) => {
    chunker.append(text)
    chunker.drain({ emit: () => undefined })
    return chunker.peek()?.text
  }
  chunker.append(`\`\`\`\n${'x'.repeat(52)}`)
  chunker.drain({ force: true, emit: () => undefined })
  expect(peek('\n``')).toBeUndefined()
  expect(peek('`')).toBeUndefined()
  expect(peek('` is code')).toBe('```\n```` is code\n```')
})

test('limits that cannot be kept are refused', () => {
  expect(() => new BlockChunker({ minChars: 10, maxChars: 39 })).toThrow(RangeError)
  expect(() => new BlockChunker({ minChars: 61, maxChars: 60 })).toThrow('minChars at most maxChars')
})

test('the limits are 800 and 1200 where the channel takes as much, and leave room to cut where it does not', () => {
  expect(chunkLimits(4096)).toEqual({ minChars: 800, maxChars: 1200 })
  expect(chunkLimits(600)).toEqual({ minChars: 400, maxChars: 600 })
  expect(chunkLimits(4096, { minChars: 10, maxChars: 2000 })).toEqual({ minChars: 10, maxChars: 2000 })
})
