import { expect, test } from 'vitest'
import { blocksIn, noBlocks, splitBlocks } from '../src/markdown/split-blocks.ts'
import { estimateHeight } from '../src/off-screen/off-screen-size.ts'

const heightOf = (text: string) => estimateHeight(blocksIn(splitBlocks(text, noBlocks)))

test('the height of a text grows with its lines, and with the blocks that have space between them', () => {
  const one = heightOf('One line.')
  expect(heightOf('One line.\nAnother.')).toBeGreaterThan(one)
  expect(heightOf('One line.\n\nAnother.')).toBeGreaterThan(heightOf('One line.\nAnother.'))
  expect(heightOf(`${'Many words in one line. '.repeat(20)}`)).toBeGreaterThan(3 * one)
})

test('twice as much code is about twice as high, also when it was cut into pieces', () => {
  const code = (lines: number) => `\`\`\`js\n${'const answer = 42\n'.repeat(lines)}\`\`\`\n`
  expect(heightOf(code(4_000)) / heightOf(code(2_000))).toBeCloseTo(2, 1)
})
