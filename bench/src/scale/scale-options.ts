import { numberFrom, readWords } from '../read-words.ts'

/** What the words after `npm run bench -- scale` ask for. */
export interface ScaleOptions {
  /** The scenarios to measure. Empty: all of them. */
  readonly names: readonly string[]
  /** How long a measurement takes. Each scenario has its own default. */
  readonly seconds?: number | undefined
  /** How many runs the scenario `nodes` has. Default: 1,000. */
  readonly runs?: number | undefined
  /** How many nodes the scenario `takeover` kills. Default: 6. */
  readonly kills?: number | undefined
  /** Whether the figures are written to bench/scale-record.jsonl and to the documentation. */
  readonly isRecorded: boolean
}

export const scaleUsage =
  'npm run bench -- scale [SCENARIO...] [--seconds N] [--runs N] [--kills N] [--record] [--check]'

/** Reads the words. Throws a `UsageError` when an option is unknown, or when its value is no number. */
export function scaleOptionsFrom(words: readonly string[]): ScaleOptions {
  const { values, positionals } = readWords(words, flags, scaleUsage)
  return {
    names: positionals,
    seconds: numberFrom('seconds', values.seconds),
    runs: numberFrom('runs', values.runs),
    kills: numberFrom('kills', values.kills),
    isRecorded: values.record,
  }
}

const flags = {
  seconds: { type: 'string' },
  runs: { type: 'string' },
  kills: { type: 'string' },
  record: { type: 'boolean', default: false },
  /** For main.ts. */
  check: { type: 'boolean', default: false },
} as const
