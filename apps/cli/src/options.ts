import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { CommandError } from './command-error.ts'

/** The options and words of a command; what is wrong with them is said, with where to read more. */
export function readOptions<const Options extends ParseArgsOptionsConfig>(
  command: string,
  words: readonly string[],
  options: Options,
) {
  try {
    return parseArgs({ args: [...words], options, allowPositionals: true, strict: true })
  } catch (error) {
    if (!(error instanceof TypeError) || !('code' in error)) throw error
    throw new CommandError(`${error.message}\nSee "throughline help ${command}".`)
  }
}
