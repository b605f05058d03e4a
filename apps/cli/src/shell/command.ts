import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** An error that a person can mend. It is printed without a stack; its message says what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** Returns the options and the other words of a command. Throws a `CommandError` when an option is wrong. */
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
