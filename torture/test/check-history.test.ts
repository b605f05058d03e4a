import { continuedChunk } from '@throughline/protocol/continued'
import { expect, test } from 'vitest'
import { checkHistory } from '../src/history/check-history.ts'
import type { ChatHistory } from '../src/history/history.ts'
import { bytesOf, delta, epoch, historyOf, type MadeEntry, soundEntries, userChunk } from './made-history.ts'

test('a sound history has no violation, wherever its viewers were cut', () => {
  const { log } = historyOf(soundEntries)
  for (let length = 0; length <= log.length; length += 1) {
    const bytes = `retry: 1000\n\n: heartbeat\n\n${log.slice(0, length)}`
    expect(checkHistory(historyOf(soundEntries, { sightings: [{ after: `${epoch}.0`, bytes }] }))).toEqual([])
  }
})

test('a viewer who was cut within the first lines has seen nothing wrong', () => {
  for (const bytes of ['', 'r', 'retry: 10', ':', ': heart'])
    expect(checkHistory(historyOf(soundEntries, { sightings: [{ after: `${epoch}.2`, bytes }] }))).toEqual([])
})

const seen = (entries: readonly MadeEntry[], after = 0) => {
  return [
    {
      after: `${epoch}.${after}`,
      bytes: entries.map((entry, index) => bytesOf(entry, after + index + 1)).join(''),
    },
  ]
}
const call = 'call-1'
const subAgentStart: MadeEntry = {
  messageId: 'reader-1',
  chunk: {
    type: 'start',
    messageId: 'reader-1',
    messageMetadata: { status: 'streaming', parent: { messageId: 'answer-1', toolCallId: call } },
  },
}
const subAgentEnd: MadeEntry = {
  messageId: 'reader-1',
  chunk: { type: 'finish', messageMetadata: { status: 'finished' } },
}
const goOn = (attempt: number): MadeEntry => {
  return { chunk: continuedChunk({ attempt, at: '2026-01-02T03:04:05Z', isStepCut: false }) }
}
const called: MadeEntry = {
  chunk: { type: 'tool-input-available', toolCallId: call, toolName: 'subAgent', input: {} },
}
const result: MadeEntry = { chunk: { type: 'tool-output-available', toolCallId: call, output: 'done' } }
const [question, start, ...rest] = soundEntries
const beginning = question === undefined || start === undefined ? [] : [question, start]
const end: MadeEntry = { chunk: { type: 'finish', messageMetadata: { status: 'finished' } } }
const silent = { submissions: [{ messageId: 'question-1', text: 'Count.', said: undefined, accepted: [] }] }
const delegated = [...beginning, called, subAgentStart, subAgentEnd, result, end]

test('a sound history with a sub-agent has no violation', () => {
  expect(checkHistory(historyOf(delegated, silent))).toEqual([])
})

test('a position that the log does not have is no violation if its viewer got a reset', () => {
  const bytes = `retry: 1000\n\nevent: reset\ndata: {"position":"${epoch}.7"}\n\n`
  expect(checkHistory(historyOf(soundEntries, { sightings: [{ after: 'foreign.3', bytes }] }))).toEqual([])
})

test('a run that went on twice, with rising numbers, is sound', () => {
  expect(checkHistory(historyOf([...beginning, goOn(1), goOn(3), end], silent))).toEqual([])
})

test('viewers who have seen all of the log, from its beginning or from later on, are sound', () => {
  const viewers = [...seen(soundEntries), ...seen(soundEntries.slice(4), 4)]
  expect(checkHistory(historyOf(soundEntries, { viewers }))).toEqual([])
})

const bad: readonly [string, string, string, ChatHistory][] = [
  [
    'A1',
    'lost',
    'a chunk was shown that is not in the log',
    historyOf(soundEntries.slice(0, 5), { ...silent, sightings: seen(soundEntries) }),
  ],
  [
    'A1',
    'lost',
    'a viewer went on from a position that is gone',
    historyOf(soundEntries, { sightings: seen([end], 9) }),
  ],
  [
    'A2',
    'lost',
    'the log has a gap',
    withLog(soundEntries.map((entry, index) => bytesOf(entry, index < 4 ? index + 1 : index + 2))),
  ],
  [
    'A2',
    'doubled',
    'the log has a number twice',
    withLog(soundEntries.map((entry, index) => bytesOf(entry, index < 4 ? index + 1 : index))),
  ],
  [
    'A3',
    'wrong-bytes',
    'an entry was shown with other bytes',
    historyOf(soundEntries, { sightings: seen([...beginning, { chunk: delta('zero ') }]) }),
  ],
  [
    'A3',
    'wrong-bytes',
    'an entry of the log cannot be read',
    withLog([`id: ${epoch}.1\ndata: {"seq":1}\n\n`]),
  ],
  [
    'A5',
    'other',
    'a sub-agent began before its call',
    historyOf([...beginning, subAgentStart, called, subAgentEnd, result, end], silent),
  ],
  [
    'A5',
    'other',
    'a call had its result before the sub-agent ended',
    historyOf([...beginning, called, subAgentStart, result, subAgentEnd, end], silent),
  ],
  ['A6', 'left-running', 'a run has no end', historyOf(soundEntries.slice(0, -1), silent)],
  ['A6', 'doubled', 'a run has two ends', historyOf([...soundEntries, end])],
  [
    'A6',
    'other',
    'a run wrote after its end',
    historyOf([...beginning, end, { chunk: delta('late') }], silent),
  ],
  [
    'A7',
    'other',
    'a run wrote after the next one had begun',
    historyOf(
      [
        ...beginning,
        { runId: 'run-2', messageId: 'question-1', chunk: userChunk('question-1', 'Count.') },
        ...rest,
      ],
      silent,
    ),
  ],
  [
    'A7',
    'stale',
    'an attempt went on after a later one had taken over',
    historyOf([...beginning, goOn(2), goOn(1), end], silent),
  ],
  [
    'B5',
    'lost',
    'a viewer who stayed did not see the end',
    historyOf(soundEntries, { viewers: seen(soundEntries.slice(0, -1)) }),
  ],
  [
    'B5',
    'doubled',
    'a viewer who stayed saw an entry twice',
    historyOf(soundEntries, { viewers: seen([...soundEntries, end]) }),
  ],
  [
    'B4',
    'wrong-bytes',
    'a viewer who stayed shows something else',
    historyOf(soundEntries, {
      viewers: seen(soundEntries.map((entry, index) => (index === 3 ? { chunk: delta('zero ') } : entry))),
    }),
  ],
  [
    'B2',
    'doubled',
    'a viewer got an entry twice',
    historyOf(soundEntries, {
      sightings: [
        { after: `${epoch}.3`, bytes: bytesOf({ chunk: { type: 'text-start', id: 'text-1' } }, 3) },
      ],
    }),
  ],
  [
    'B2',
    'lost',
    'a viewer got a gap',
    historyOf(soundEntries, {
      sightings: [{ after: `${epoch}.3`, bytes: bytesOf({ chunk: delta('two ') }, 5) }],
    }),
  ],
  [
    'B3',
    'other',
    'a viewer was reset although its position is known',
    historyOf(soundEntries, { sightings: [{ after: `${epoch}.3`, bytes: 'event: reset\ndata: {}\n\n' }] }),
  ],
  ['C1', 'doubled', 'a message is there twice', twice(historyOf(soundEntries))],
  [
    'C1',
    'wrong-bytes',
    'a message has another text',
    historyOf(soundEntries, {
      submissions: [{ messageId: 'question-1', text: 'Sing.', said: 'one two ', accepted: [] }],
    }),
  ],
  ['C1', 'doubled', 'a message is there that nobody sent', historyOf(soundEntries, { submissions: [] })],
  [
    'C2',
    'doubled',
    'two retries were told two runs',
    historyOf(soundEntries, {
      submissions: [
        {
          messageId: 'question-1',
          text: 'Count.',
          said: undefined,
          accepted: ['run-1', 'run-2'].map(runId => ({ runId, responseMessageId: 'answer-1' })),
        },
      ],
    }),
  ],
  [
    'C2',
    'lost',
    'a message was accepted and is gone',
    historyOf([], {
      submissions: [
        {
          messageId: 'question-1',
          text: 'Count.',
          said: undefined,
          accepted: [{ runId: 'run-1', responseMessageId: 'answer-1' }],
        },
      ],
    }),
  ],
  [
    'C3',
    'wrong-bytes',
    'what is saved is not what was shown',
    { ...historyOf(soundEntries), messages: historyOf(soundEntries.slice(0, 4)).messages },
  ],
  [
    'C3',
    'lost',
    'an answer lacks what its agent said',
    historyOf(soundEntries.filter(({ chunk }) => chunk.type !== 'text-delta' || chunk.delta !== 'two ')),
  ],
  [
    'C3',
    'doubled',
    'an answer repeats what its agent said',
    historyOf(soundEntries.flatMap(entry => (entry.chunk.type === 'text-delta' ? [entry, entry] : [entry]))),
  ],
  [
    'D2',
    'other',
    'a stop said that it stopped an answer that finished',
    historyOf(soundEntries, { stops: [{ messageId: 'question-1', result: 'stopped', ms: 1 }] }),
  ],
  ['D4', 'left-running', 'the server says that a run goes on', historyOf(soundEntries, { isRunning: true })],
  ['D4', 'left-running', 'a message is still being written', historyOf(soundEntries.slice(0, -1), silent)],
]

test.each(bad)('%s (%s) is found: %s', (invariant, kind, _fact, history) => {
  expect(checkHistory(history)).toContainEqual(expect.objectContaining({ invariant, kind, chatId: 'chat' }))
})

function withLog(events: readonly string[]): ChatHistory {
  return { ...historyOf(soundEntries), log: events.join(''), sightings: [] }
}

function twice(history: ChatHistory): ChatHistory {
  return { ...history, messages: [...history.messages, ...history.messages] }
}
