import { parseArgs } from 'node:util'
import { type Unit, units } from '../scenarios/tally.ts'

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
  ${units.map(unit => `[--${optionOf(unit)} N]`).join(' ')}`

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
      ...Object.fromEntries(units.map(unit => [optionOf(unit), { type: 'string' } as const])),
    },
  })
  const asked: Readonly<Record<string, unknown>> = values
  const counts = Object.fromEntries(
    units.flatMap(unit => {
      const word = asked[optionOf(unit)]
      return typeof word === 'string' ? [[unit, numberFrom(optionOf(unit), word)]] : []
    }),
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

/** Returns the name of the option that says how much of a unit is asked for, such as `node-kills`. */
function optionOf(unit: Unit): string {
  return unit === 'damaged stores' ? 'damaged' : unit.replaceAll(' ', '-')
}
