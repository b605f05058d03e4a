import {
  type ChatState,
  type Chunk,
  chatFrom,
  type Entry,
  emptyChat,
  fold,
  type Message,
} from '@throughline/protocol'
import {
  type Answer,
  entriesOf,
  largeOutputAnswer,
  manyPartsAnswer,
  textAnswer,
  toolInputAnswer,
} from './answers.ts'
import { type Measurement, microseconds, type Section } from './report.ts'
import { collectGarbage, median } from './timing.ts'

const goal = { atMost: 1.3 }
const rounds = 20
const historySize = 10_000

/** Measures what late entries cost, compared with early ones. The cost must not grow with the length of the log. */
export function measureGrowth(): Section {
  const text = textAnswer(20_000)
  const inNewChat = tenthsOf(logOf(text, 0))
  const afterHistory = tenthsOf(logOf(text, historySize))
  return {
    title: 'Growth: what late entries cost against early ones, time per entry',
    notes: [
      `Each tenth of a log is folded in ${rounds} rounds after warm-up; its fastest round counts, so collecting garbage`,
      'and other programs do not.',
    ],
    columns: { ours: 'late', other: 'early' },
    measurements: [
      growth('20,000 text deltas, last tenth against first', inNewChat),
      growth('4,000 tool-input deltas, last tenth against first', tenthsOf(logOf(toolInputAnswer(4_000), 0))),
      growth('10,000 messages, last tenth against first', tenthsOf(logOfMessages(historySize))),
      growth('20,000 text deltas after 10,000 messages, the same', afterHistory),
      {
        ...growth('text deltas after 10,000 messages against none', [
          median(inNewChat),
          median(afterHistory),
        ]),
        goal: undefined,
      },
      growth('2,000 text deltas after a tool output of 402 KB against none', deltasAfter(largeOutputAnswer)),
      growth('2,000 text deltas after 800 parts against none', deltasAfter(manyPartsAnswer)),
    ],
  }
}

function growth(name: string, tenths: readonly number[]): Measurement {
  const early = tenths.at(0) ?? Number.NaN
  const late = tenths.at(-1) ?? Number.NaN
  return { name, ours: microseconds(late), other: microseconds(early), ratio: late / early, goal }
}

/** Returns what deltas cost in an answer alone, and then after other parts. Measured one right after the other. */
function deltasAfter(answer: (count: number) => Answer): readonly number[] {
  return [textAnswer(2_000), answer(2_000)].map(each => median(tenthsOf(logOf(each, 0))))
}

interface Log {
  /** Makes a new state for each round. Folding twice from one state would measure something else. */
  readonly start: () => ChatState
  readonly entries: readonly Entry[]
}

/** Returns the microseconds per entry for each tenth of the log. */
function tenthsOf(log: Log): readonly number[] {
  for (let round = 0; round < 5; round += 1) timeTenths(log)
  let fastest = timeTenths(log)
  for (let round = 1; round < rounds; round += 1) {
    const tenths = timeTenths(log)
    fastest = fastest.map((us, tenth) => Math.min(us, tenths[tenth] ?? us))
  }
  return fastest
}

function timeTenths({ start, entries }: Log): number[] {
  const size = Math.floor(entries.length / 10)
  const tenths = Array.from({ length: 10 }, (_, tenth) => entries.slice(tenth * size, (tenth + 1) * size))
  let chat = start()
  collectGarbage()
  return tenths.map(tenth => {
    const startedAt = performance.now()
    for (const entry of tenth) chat = fold(chat, entry)
    return ((performance.now() - startedAt) * 1000) / size
  })
}

function logOf(answer: Answer, messagesBefore: number): Log {
  const history = Array.from({ length: messagesBefore }, (_, index) => savedMessage(`saved-${index}`))
  // The start of the message is not timed: only deltas are compared.
  const begin = entriesOf(answer.chunks.slice(0, answer.from + 1), {
    after: messagesBefore,
    messageId: 'answer',
  })
  const entries = entriesOf(answer.chunks.slice(answer.from + 1), {
    after: messagesBefore + begin.length,
    messageId: 'answer',
  })
  return {
    start: () => begin.reduce(fold, history.length === 0 ? emptyChat() : chatFrom(history, messagesBefore)),
    entries,
  }
}

function logOfMessages(count: number): Log {
  const entries: Entry[] = []
  for (let index = 0; index < count; index += 1) {
    entries.push(...entriesOf(shortAnswer(), { after: entries.length, messageId: `answer-${index}` }))
  }
  return { start: emptyChat, entries }
}

function shortAnswer(): readonly Chunk[] {
  return [
    { type: 'start' },
    { type: 'text-start', id: 'text' },
    { type: 'text-delta', id: 'text', delta: 'Hello' },
    { type: 'text-delta', id: 'text', delta: ' there' },
    { type: 'text-end', id: 'text' },
    { type: 'finish' },
  ]
}

function savedMessage(id: string): Message {
  return { id, role: 'assistant', parts: [{ type: 'text', text: 'Hello there', state: 'done' }] }
}
