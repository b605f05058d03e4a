import { parseArgs } from 'node:util'
import { UsageError } from '../usage-error.ts'

/** What the words after `npm run bench -- load` ask for. */
export interface LoadOptions {
  /** The scenarios to measure. Empty: all of them. */
  readonly names: readonly string[]
  /** How long the deltas of a measurement come. Each scenario has its own default. */
  readonly seconds?: number | undefined
  /** How long the soak takes. Default: 3. */
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
  const { values, positionals } = parsed(words)
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

function parsed(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], allowPositionals: true, options: flags })
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error} Usage: ${loadUsage}`)
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

function numberFrom(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text)
  if (number > 0) return number
  throw new UsageError(`--${name} must be a number above 0, not "${text}".`)
}
