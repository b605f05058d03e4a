import type { Violation } from '@throughline/protocol/history'

/** What is counted. */
export const units = [
  'kills',
  'cuts',
  'races',
  'retries',
  'full disks',
  'damaged stores',
  'power losses',
  'node kills',
  'node pauses',
  'blinks',
  'failovers',
  'passing errors',
  'partitions',
  'restores',
  'skews',
  'poisons',
  'rolling restarts',
] as const
export type Unit = (typeof units)[number]

/** What a scenario did and found. */
export interface Tally {
  /** How many kills, cuts, … there were. */
  readonly done: number
  readonly runs: number
  /** SSE events that viewers got and that were compared with the log. */
  readonly shownChunks: number
  /** How long each stop took, in milliseconds. */
  readonly stopsMs: readonly number[]
  /** How long each run of a dead node stood still, until another node went on with it or ended it, in milliseconds. */
  readonly takeoversMs: readonly number[]
  /** Facts in words, such as how many damaged stores were refused, with their numbers. */
  readonly notes: Readonly<Record<string, number>>
  readonly violations: readonly Violation[]
}

export const emptyTally: Tally = {
  done: 0,
  runs: 0,
  shownChunks: 0,
  stopsMs: [],
  takeoversMs: [],
  notes: {},
  violations: [],
}

export function addTallies(tallies: readonly Tally[]): Tally {
  const notes: Record<string, number> = {}
  for (const tally of tallies)
    for (const [note, count] of Object.entries(tally.notes)) notes[note] = (notes[note] ?? 0) + count
  const sum = (numberOf: (tally: Tally) => number) =>
    tallies.reduce((total, tally) => total + numberOf(tally), 0)
  return {
    done: sum(({ done }) => done),
    runs: sum(({ runs }) => runs),
    shownChunks: sum(({ shownChunks }) => shownChunks),
    stopsMs: tallies.flatMap(({ stopsMs }) => stopsMs),
    takeoversMs: tallies.flatMap(({ takeoversMs }) => takeoversMs),
    notes,
    violations: tallies.flatMap(({ violations }) => violations),
  }
}
