import { type ParseArgsConfig, parseArgs } from 'node:util'
import { UsageError } from './usage-error.ts'

type Flags = NonNullable<ParseArgsConfig['options']>

/** Reads the words of a command line. Throws a `UsageError` when an option is unknown. */
export function readWords<const Known extends Flags>(words: readonly string[], flags: Known, usage: string) {
  try {
    return parseArgs({ args: [...words], allowPositionals: true, options: flags })
  } catch (error) {
    throw new UsageError(`${error instanceof Error ? error.message : error} Usage: ${usage}`)
  }
}

/** Reads the value of an option. Throws a `UsageError` unless it is a number above 0. */
export function numberFrom(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const number = Number(text)
  if (number > 0) return number
  throw new UsageError(`--${name} must be a number above 0, not "${text}".`)
}
