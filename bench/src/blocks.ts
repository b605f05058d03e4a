import { BlockChunker, chunkLimits, joinBlocks } from '@throughline/channels'
import type { Measurement, Section } from './report.ts'
import { collectGarbage, median } from './timing.ts'

const megabyte = 1_000_000
const deltaChars = 5

/**
 * Cuts an answer into blocks for a channel while it arrives. Measures the speed, and whether a longer answer costs more
 * per character.
 */
export function measureBlocks(): Section {
  return {
    title: 'Blocks: an answer in deltas of 5 characters, cut for a channel',
    notes: [
      'Drained after every delta, with the default limits (800 to 1200). The blocks join to the answer; this is checked.',
      'Growth is the time for 2 MB over that for 1 MB: 2.0 is linear.',
    ],
    columns: { ours: '1 MB', other: '2 MB' },
    measurements: Object.entries(kinds).map(([name, paragraph]) => measureGrowth(name, paragraph)),
  }
}

const kinds = {
  prose: 'A sentence of a few words, and then another one. The third asks: why? Because it can!\n\n',
  'Chinese prose': '这是一个句子，里面有几个词。第二个句子更短！第三个在问：为什么？因为可以。\n\n',
  'code in fences':
    '```ts\nexport function add(one: number, other: number) {\n  return one + other\n}\n```\n\nThen text.\n\n',
  'lists and tables': '- one item of a list\n- another item\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n',
  'one long line': 'word '.repeat(20),
}

function measureGrowth(name: string, paragraph: string): Measurement {
  const once = textOf(paragraph, megabyte)
  const twice = textOf(paragraph, 2 * megabyte)
  const rounds = Array.from({ length: 5 }, () => ({ ours: cut(once), other: cut(twice) }))
  return {
    name,
    ours: speed(median(rounds.map(({ ours }) => ours)), megabyte),
    other: speed(median(rounds.map(({ other }) => other)), 2 * megabyte),
    ratio: median(rounds.map(({ ours, other }) => other / ours)),
    goal: { atMost: 2.2 },
  }
}

function cut(text: string): number {
  collectGarbage()
  const blocks: Parameters<typeof joinBlocks>[0][number][] = []
  const emit = (block: (typeof blocks)[number]) => void blocks.push(block)
  const startedAt = performance.now()
  const chunker = new BlockChunker(chunkLimits(4_096))
  for (let index = 0; index < text.length; index += deltaChars) {
    chunker.append(text.slice(index, index + deltaChars))
    chunker.drain({ emit })
  }
  chunker.drain({ force: true, emit })
  const ms = performance.now() - startedAt
  if (joinBlocks(blocks) + chunker.bufferedText !== text)
    throw new Error('The blocks do not join to the answer.')
  return ms
}

function textOf(paragraph: string, chars: number): string {
  return paragraph.repeat(Math.ceil(chars / paragraph.length)).slice(0, chars)
}

function speed(ms: number, chars: number): string {
  return `${(chars / 1000 / ms).toFixed(1)} MB/s`
}
