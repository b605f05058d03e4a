import { spawn } from 'node:child_process'
import { once } from 'node:events'

export interface CommandOptions {
  readonly cwd?: string
  readonly env?: NodeJS.ProcessEnv
  readonly stdio?: 'inherit' | 'ignore'
}

/** Runs a command with its output on the terminal. Throws when it fails. */
export async function runCommand(command: readonly string[], options: CommandOptions = {}): Promise<void> {
  if (await succeeds(command, { stdio: 'inherit', ...options })) return
  throw new Error(`"${command.join(' ')}" failed in ${options.cwd ?? process.cwd()}.`)
}

/** Runs a command without output. Returns whether it succeeded. */
export async function succeeds(
  [program = '', ...words]: readonly string[],
  options: CommandOptions = {},
): Promise<boolean> {
  const child = spawn(program, words, {
    stdio: 'ignore',
    // On Windows, npm is a script that only a shell can start.
    shell: process.platform === 'win32',
    ...options,
  })
  const [code] = await once(child, 'close')
  return code === 0
}
