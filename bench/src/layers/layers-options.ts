import { numberFrom, readWords } from '../read-words.ts'
import { UsageError } from '../usage-error.ts'
import type { LoadSize } from './goals.ts'

/** What the words after `npm run bench -- layers` ask for. */
export interface LayersOptions extends LoadSize {
  /** The layers to measure. Empty: all of them. */
  readonly names: readonly string[]
  /** How often each load is measured with and without the layer. Default: 5. */
  readonly rounds?: number | undefined
  /** Whether the figures are written to bench/layers-record.jsonl and to the documentation. */
  readonly isRecorded: boolean
}

export const layersUsage =
  'npm run bench -- layers [LAYER...] [--rounds N] [--seconds N] [--runs N] [--viewers N] [--minutes N] [--record] [--check]'

/** Reads the words. Throws a `UsageError` when an option is unknown, or when its value is no number. */
export function layersOptionsFrom(words: readonly string[]): LayersOptions {
  const { values, positionals } = readWords(words, flags, layersUsage)
  if (values.record && (values.runs ?? values.viewers) !== undefined)
    throw new UsageError('--record keeps figures of the loads of the goals. Leave out --runs and --viewers.')
  return {
    names: positionals,
    rounds: numberFrom('rounds', values.rounds),
    seconds: numberFrom('seconds', values.seconds),
    runs: numberFrom('runs', values.runs),
    viewers: numberFrom('viewers', values.viewers),
    minutes: numberFrom('minutes', values.minutes),
    isRecorded: values.record,
  }
}

const flags = {
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  runs: { type: 'string' },
  viewers: { type: 'string' },
  minutes: { type: 'string' },
  record: { type: 'boolean', default: false },
  /** For main.ts. */
  check: { type: 'boolean', default: false },
} as const
