import { epoch } from './made-history.ts'
import {
  bytesAt,
  changed,
  find,
  inner,
  logged,
  type Mutant,
  mark,
  moved,
  onceAfter,
  renumbered,
  seen,
  sent,
  testMutants,
  twice,
  wasEarlier,
  without,
  written,
} from './mutants.ts'

const mutants: readonly Mutant[] = [
  // The log.
  [
    'A2',
    'lost',
    'a number is skipped',
    sent((events, at) => events.with(at, renumbered(events, at, at + 2))),
  ],
  [
    'A2',
    'doubled',
    'a number is there twice',
    sent((events, at) => events.with(at, renumbered(events, at, at))),
  ],
  [
    'A2',
    'lost',
    'the epoch changes within a log',
    sent((events, at) => [...events.slice(0, at), ...events.slice(at).map(wasEarlier)]),
  ],
  [
    'A3',
    'wrong-bytes',
    'an entry cannot be read',
    sent((events, at) => events.with(at, `id: ${epoch}.${at + 1}\ndata: {"seq":${at + 1}}\n\n`)),
  ],
  [
    'A5',
    'other',
    'a sub-agent begins before its call',
    written(({ entries }) =>
      moved(entries, find(entries, 'start', 'child-0') - 1, find(entries, 'start', 'child-0')),
    ),
  ],
  [
    'A5',
    'other',
    'a call has its result before the last chunk of its sub-agent',
    written(({ entries }) =>
      moved(entries, find(entries, 'finish', 'child-0') + 1, find(entries, 'finish', 'child-0')),
    ),
  ],
  [
    'A6',
    'doubled',
    'an answer ends twice',
    written(({ entries }) => twice(entries, find(entries, 'finish'))),
  ],
  [
    'A6',
    'left-running',
    'an answer has no end',
    written(({ entries }) => without(entries, find(entries, 'finish'))),
  ],
  [
    'A6',
    'left-running',
    'a sub-agent has no end',
    written(({ entries }) => without(entries, find(entries, 'finish', 'child-0'))),
  ],
  [
    'A6',
    'other',
    'a run goes on after its end',
    written(({ entries }) => moved(entries, find(entries, 'text-delta'), find(entries, 'finish'))),
  ],
  [
    'A7',
    'other',
    'a run goes on after the next one has begun',
    written(({ entries }) => moved(entries, find(entries, 'finish'), find(entries, 'finish') + 1)),
  ],
  [
    'A7',
    'stale',
    'an attempt goes on after a later one',
    written(({ entries }) =>
      moved(
        entries,
        entries.findIndex(entry => mark(1, entry)),
        entries.findIndex(entry => mark(2, entry)),
      ),
    ),
  ],
  [
    'C2',
    'doubled',
    'a message has two runs in the log',
    written(({ entries }) => [
      ...entries,
      ...entries.slice(0, 1).map(entry => ({ ...entry, runId: 'run-again' })),
    ]),
  ],
  [
    'C3',
    'lost',
    'an answer lacks a word that its agent said',
    written(({ entries }) => without(entries, find(entries, 'text-delta'))),
  ],
  [
    'C3',
    'doubled',
    'an answer has a word twice',
    written(({ entries }) => twice(entries, find(entries, 'text-delta'))),
  ],

  // The log, against what viewers saw.
  [
    'A1',
    'lost',
    'the last entries are gone',
    logged(({ entries, place }) => entries.slice(0, -1 - (place % 3))),
  ],
  [
    'A1',
    'lost',
    'a viewer went on from a position that is gone',
    seen(({ events }) => onceAfter(`${epoch}.${events.length + 2}`, bytesAt(events, 1))),
  ],
  [
    'A1',
    'wrong-bytes',
    'a viewer saw the beginning of an entry that is not there',
    seen(({ events }) =>
      onceAfter(`${epoch}.${events.length - 1}`, `id: ${epoch}.${events.length}\ndata: {"so`),
    ),
  ],
  [
    'A3',
    'wrong-bytes',
    'an entry has other bytes than were shown',
    logged(({ entries }) => changed(entries)),
  ],
  [
    'A3',
    'wrong-bytes',
    'an entry is gone, and the others have moved up',
    logged(sound => without(sound.entries, inner(sound))),
  ],
  [
    'A3',
    'wrong-bytes',
    'two entries have changed places',
    logged(sound => moved(sound.entries, inner(sound), inner(sound) - 1)),
  ],
]

testMutants(mutants)
