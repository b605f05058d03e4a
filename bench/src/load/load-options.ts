import { numberFrom, readWords } from '../read-words.ts'

/** What the words after `npm run bench -- load` ask for. */
export interface LoadOptions {
  /** The scenarios to measure. Empty: all of them. */
  readonly names: readonly string[]
  /** How long the deltas of a measurement come. Each scenario has its own default. */
  readonly seconds?: number | undefined
  /** How long the soak takes. Default: 6. */
  readonly minutes?: number | undefined
  /** Only these sizes of the scenario `runs`. Default: all. */
  readonly runs?: readonly number[] | undefined
  /** How many viewers the scenarios with many viewers have. Each scenario has its own default. */
  readonly viewers?: number | undefined
  /** Whether other servers are measured beside ours. */
  readonly withPeers: boolean
  /** Whether the figures are written to bench/load-record.jsonl and to the documentation. */
  readonly isRecorded: boolean
}

export const loadUsage =
  'npm run bench -- load [SCENARIO...] [--seconds N] [--minutes N] [--runs N,N] [--viewers N] [--ours] [--record] [--check]'

/** Reads the words. Throws a `UsageError` when an option is unknown, or when its value is no number. */
export function loadOptionsFrom(words: readonly string[]): LoadOptions {
  const { values, positionals } = readWords(words, flags, loadUsage)
  return {
    names: positionals,
    seconds: numberFrom('seconds', values.seconds),
    minutes: numberFrom('minutes', values.minutes),
    runs: values.runs?.split(',').map(text => numberFrom('runs', text) ?? 0),
    viewers: numberFrom('viewers', values.viewers),
    withPeers: !values.ours,
    isRecorded: values.record,
  }
}

const flags = {
  seconds: { type: 'string' },
  minutes: { type: 'string' },
  runs: { type: 'string' },
  viewers: { type: 'string' },
  ours: { type: 'boolean', default: false },
  record: { type: 'boolean', default: false },
  /** For main.ts. */
  check: { type: 'boolean', default: false },
} as const
