import { isDeepStrictEqual } from 'node:util'
import { type ChatState, emptyChat, messagesOf } from '@throughline/protocol/chat-state'
import type { Entry } from '@throughline/protocol/entry'
import { fold } from '@throughline/protocol/fold'
import { isToolPart } from '@throughline/protocol/message'
import { toolInput } from '@throughline/protocol/tool-input'
import {
  type Answer,
  entriesOf,
  largeOutputAnswer,
  manyPartsAnswer,
  textAnswer,
  toolInputAnswer,
} from './answers.ts'
import { chunksPerFrame, draw, type PartContent } from './draw.ts'
import { compared, gain, type Pair } from './paired.ts'
import type { Goal, Measurement, Section } from './report.ts'
import { type Reading, readWithChat, readWithReadUIMessageStream } from './stock-readers.ts'
import { collectGarbage, medianOf } from './timing.ts'

interface Case {
  readonly answer: Answer
  readonly goal: Goal
}

const cases: readonly Case[] = [
  { answer: textAnswer(20_000), goal: { atLeast: 5 } },
  { answer: toolInputAnswer(4_000), goal: { atLeast: 100 } },
  { answer: largeOutputAnswer(2_000), goal: { atLeast: 5 } },
  { answer: manyPartsAnswer(2_000), goal: { atLeast: 5 } },
]

/** Measures how chunks become messages: our fold, and the two readers of the AI SDK with the same chunks. */
export async function measureFold(): Promise<Section> {
  const measurements: Measurement[] = []
  for (const each of cases) measurements.push(...(await measureCase(each)))
  return {
    title: 'Fold: chunks into messages, time per chunk',
    notes: [
      `Ours folds every entry and takes the messages with messagesOf per animation frame (${chunksPerFrame} entries) and at the end;`,
      'the AI SDK gets the same chunks from a ReadableStream and makes a message per chunk, as it always does.',
      'Per animation frame the open part is read as a page would: its whole text, or its input. Ours parses the input then.',
      'All end with the same parts; this is checked. They take turns; the ratio is the median of the rounds.',
    ],
    columns: { ours: 'ours', other: 'AI SDK' },
    measurements,
  }
}

async function measureCase({ answer, goal }: Case): Promise<readonly Measurement[]> {
  const entries = entriesOf(answer.chunks, { after: 0, messageId: 'answer' })
  const ours = () => readWithFold(entries, answer.from)
  for (let round = 0; round < 3; round += 1) ours()
  const readers = [
    ['readUIMessageStream', readWithReadUIMessageStream],
    ['Chat of @ai-sdk/react', readWithChat],
  ] as const
  const measurements: Measurement[] = []
  for (const [name, read] of readers) {
    const pairs = await takeTurns(ours, () => read(answer))
    const perChunk = 1000 / (answer.chunks.length - answer.from)
    const microseconds = pairs.map(pair => ({ ours: pair.ours * perChunk, other: pair.other * perChunk }))
    measurements.push(compared(`${answer.name}, ${name}`, microseconds, { goal, ratioOf: gain }))
  }
  return measurements
}

/** Returns the times of ours and another reader in milliseconds, one pair per round. A slow reader gets fewer rounds. */
async function takeTurns(
  ours: () => Reading,
  other: () => Promise<Reading>,
): Promise<readonly Pair<number>[]> {
  const { parts } = ours()
  const pairs: Pair<number>[] = []
  for (let spentMs = 0; pairs.length < 21 && spentMs < 3_000; ) {
    const oursMs = await medianOf(3, () => ours().ms)
    collectGarbage()
    const reading = await other()
    if (!isDeepStrictEqual(contentOf(reading.parts), contentOf(parts))) {
      throw new Error(
        'Two readers of the same chunks made different messages. Compare them before their speed.',
      )
    }
    pairs.push({ ours: oursMs, other: reading.ms })
    spentMs += reading.ms
  }
  return pairs
}

function readWithFold(entries: readonly Entry[], from: number): Reading {
  let chat = entries.slice(0, from).reduce(fold, emptyChat())
  const startedAt = performance.now()
  for (let index = from; index < entries.length; index += chunksPerFrame) {
    for (const entry of entries.slice(index, index + chunksPerFrame)) chat = fold(chat, entry)
    drawLast(chat)
  }
  return { ms: performance.now() - startedAt, parts: messagesOf(chat).at(-1)?.parts ?? [] }
}

function drawLast(chat: ChatState): void {
  const parts = messagesOf(chat).at(-1)?.parts
  draw(parts)
  // Our fold parses the input of a tool call lazily, when it is read. It is read here, so that the parsing counts.
  const part = parts?.at(-1)
  if (part !== undefined && isToolPart(part)) toolInput(part)
}

function contentOf(parts: readonly PartContent[]): readonly PartContent[] {
  return parts.map(({ type, text, input }) => ({ type, text, input }))
}
