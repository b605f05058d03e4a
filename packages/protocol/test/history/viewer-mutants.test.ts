import { bytesOf, earlierEpoch, epoch, loadOf } from './made-history.ts'
import {
  bytesAt,
  changed,
  inner,
  loaded,
  type Mutant,
  moved,
  onceAfter,
  resetTo,
  seen,
  submitted,
  testMutants,
  twice,
  wasEarlier,
  wholeLog,
  without,
} from './mutants.ts'

const mutants: readonly Mutant[] = [
  // Viewers.
  [
    'B2',
    'lost',
    'a viewer did not get an entry',
    seen(sound => wholeLog(without(sound.events, inner(sound)))),
  ],
  [
    'B2',
    'doubled',
    'a viewer got an entry twice',
    seen(sound => wholeLog(twice(sound.events, inner(sound)))),
  ],
  [
    'B2',
    'lost',
    'a viewer got entries in another order',
    seen(sound => wholeLog(moved(sound.events, inner(sound), inner(sound) - 1))),
  ],
  [
    'A3',
    'wrong-bytes',
    'a viewer got other bytes',
    seen(({ events, entries }) =>
      wholeLog(
        changed(entries)
          .map((entry, index) => bytesOf(entry, index + 1))
          .slice(0, events.length),
      ),
    ),
  ],
  [
    'B4',
    'wrong-bytes',
    'a viewer who has stayed shows something else',
    seen(({ entries }) => ({
      ...wholeLog(changed(entries).map((entry, index) => bytesOf(entry, index + 1))),
      hasStayed: true,
    })),
  ],
  [
    'B5',
    'lost',
    'a viewer who has stayed did not see the end',
    seen(sound => ({ ...wholeLog(sound.events.slice(0, inner(sound))), hasStayed: true })),
  ],
  [
    'B5',
    'doubled',
    'a viewer who came back began too early',
    seen(({ events }) => ({
      sightings: [...wholeLog(events).sightings, ...wholeLog(events.slice(0, 1)).sightings],
      hasStayed: true,
    })),
  ],

  // Epochs and resets.
  [
    'B3',
    'other',
    'a viewer was reset although its position is known',
    seen(sound => onceAfter(`${epoch}.${inner(sound)}`, resetTo(1))),
  ],
  [
    'B3',
    'lost',
    'a viewer of another epoch got entries without a reset',
    seen(sound => onceAfter(`${earlierEpoch}.${inner(sound)}`, bytesAt(sound.events, inner(sound)))),
  ],
  [
    'B3',
    'lost',
    'the epoch changed, and a viewer was not reset',
    seen(({ events }) => ({
      ...onceAfter(`${earlierEpoch}.0`, wasEarlier(events.join(''))),
      hasStayed: true,
    })),
  ],
  [
    'B3',
    'lost',
    'a viewer had a gap before the epoch changed',
    seen(sound =>
      onceAfter(`${earlierEpoch}.0`, wasEarlier(without(sound.events, inner(sound)).join('')) + resetTo(0)),
    ),
  ],
  [
    'B3',
    'lost',
    'a text that is no position got entries',
    seen(({ events }) => onceAfter('nonsense', bytesAt(events, 0))),
  ],
  [
    'A3',
    'wrong-bytes',
    'a position of an earlier epoch had two meanings',
    sound => {
      const [one, other] = [sound.events.join(''), sound.events.join('').replaceAll('Question', 'Riddle')]
      const viewers = [one, other].map(bytes => ({
        ...onceAfter(`${earlierEpoch}.0`, wasEarlier(bytes) + resetTo(0)),
        hasStayed: false,
      }))
      return { ...sound.history, viewers, mayLose: true }
    },
  ],
  [
    'A1',
    'lost',
    'an entry is gone with its epoch, and the database may lose nothing',
    seen(({ events }) =>
      onceAfter(
        `${earlierEpoch}.0`,
        wasEarlier(events.join('').replaceAll('Question', 'Riddle')) + resetTo(0),
      ),
    ),
  ],

  // Chats that are loaded.
  [
    'B5',
    'wrong-bytes',
    'a chat was loaded without a message',
    loaded(({ messages }) => ({ messages: messages.slice(1) })),
  ],
  [
    'B5',
    'wrong-bytes',
    'a chat was loaded with less than it had at this position',
    loaded((_, { events }) => ({ position: `${epoch}.${events.length}` })),
  ],
  [
    'A1',
    'lost',
    'a chat was loaded with an entry that is gone',
    loaded((_, { events }) => ({ position: `${epoch}.${events.length + 1}` })),
  ],

  // Real time.
  [
    'A4',
    'stale',
    'a chat was loaded without what had been seen before',
    loaded(() => ({ askedAt: 1_000_000, at: 1_000_010 })),
  ],
  [
    'A4',
    'other',
    'a message was sent when a chat had been loaded with a later entry',
    loaded((_, { events }) => ({ ...loadOf(events, events.length), askedAt: 0, at: 10 })),
  ],
  [
    'A4',
    'other',
    'a message was sent after the 202 of another one, and is before it',
    submitted((first, second) => [
      { ...first, sentAt: 2_500 },
      { ...second, sentAt: 2_000 },
    ]),
  ],
  [
    'A4',
    'other',
    'a message was sent when a later entry had been seen',
    seen(({ events }) => ({
      sightings: wholeLog(events).sightings.map(each => ({
        ...each,
        arrivals: [{ at: 500, length: each.bytes.length }],
      })),
    })),
  ],
  [
    'A4',
    'other',
    'a message was sent when a later answer had been stopped',
    ({ history }) => ({
      ...history,
      stops: [{ messageId: 'question-1', result: 'stopped', ms: 1, at: 500 }],
    }),
  ],
]

testMutants(mutants)
