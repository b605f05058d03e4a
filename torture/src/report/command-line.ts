import { parseArgs } from 'node:util'
import type { Unit } from '../scenarios/tally.ts'

/** What the command was asked to do. */
export interface Command {
  /** The names of the scenarios to run; all when it is empty. */
  readonly only: readonly string[]
  /** The seed of the first case of each scenario. */
  readonly seed: number
  /** How long all scenarios take together. `undefined`: until the counts are reached. */
  readonly minutes: number | undefined
  /** The most cases of each scenario. */
  readonly cases: number
  /** How much of each unit is asked for. */
  readonly counts: Readonly<Partial<Record<Unit, number>>>
  readonly record: boolean
}

export const usage = `Usage: npm run torture -- [--minutes N] [--seed S] [--only SCENARIO]… [--cases N] [--record]
  [--kills N] [--cuts N] [--races N] [--retries N] [--full-disks N] [--damaged N]
  [--node-kills N] [--node-pauses N]`

const defaultMinutes = 5

/** Reads the words of the command line. Throws a `TypeError` when there is one that it does not know. */
export function readCommand(words: readonly string[]): Command {
  const { values } = parseArgs({
    args: [...words],
    options: {
      minutes: { type: 'string' },
      seed: { type: 'string', default: '1' },
      only: { type: 'string', multiple: true, default: [] },
      cases: { type: 'string' },
      record: { type: 'boolean', default: false },
      kills: { type: 'string' },
      cuts: { type: 'string' },
      races: { type: 'string' },
      retries: { type: 'string' },
      'full-disks': { type: 'string' },
      damaged: { type: 'string' },
      'node-kills': { type: 'string' },
      'node-pauses': { type: 'string' },
    },
  })
  const { kills, cuts, races, retries, damaged } = values
  const asked = {
    kills,
    cuts,
    races,
    retries,
    'full disks': values['full-disks'],
    'damaged stores': damaged,
    'node kills': values['node-kills'],
    'node pauses': values['node-pauses'],
  }
  const counts = Object.fromEntries(
    Object.entries(asked).flatMap(([unit, word]) =>
      word === undefined ? [] : [[unit, numberFrom(unit, word)]],
    ),
  )
  const isBounded = values.cases !== undefined || Object.keys(counts).length > 0
  const minutes = values.minutes === undefined ? undefined : numberFrom('minutes', values.minutes)
  return {
    only: values.only,
    seed: numberFrom('seed', values.seed),
    minutes: minutes ?? (isBounded ? undefined : defaultMinutes),
    cases: values.cases === undefined ? Infinity : numberFrom('cases', values.cases),
    counts,
    record: values.record,
  }
}

function numberFrom(name: string, word: string): number {
  const number = Number(word)
  if (Number.isFinite(number) && number >= 0) return number
  throw new TypeError(`--${name} needs a number, not "${word}".`)
}
