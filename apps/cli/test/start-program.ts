import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { compileCacheEnv } from '@throughline/testing/server/compile-cache'

// Test only: the command in a process of its own, with pipes instead of a terminal.

const path = fileURLToPath(new URL('../bin/throughline.js', import.meta.url))

export interface Ended {
  readonly code: number | null
  /** The signal that ended the process, if one did. */
  readonly signal: string | null
  readonly output: string
  readonly errors: string
}

export interface Program {
  readonly ended: Promise<Ended>
  /** Writes the whole input. */
  say(input: string): void
  signal(signal: 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'SIGKILL'): void
  /** Resolves when this is in the output, with the output so far. */
  until(expected: string): Promise<string>
}

export interface ProgramOptions {
  readonly cwd?: string
  /** The command, when it is not the one of this repository. */
  readonly program?: string
  /** The words before the command on the command line. */
  readonly nodeOptions?: readonly string[]
}

/** Starts `throughline` with these words, and with none of the settings of this process. */
export function startProgram(
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { cwd, program = path, nodeOptions = [] }: ProgramOptions = {},
): Program {
  const child = spawn(process.execPath, [...nodeOptions, program, ...words], {
    env: { ...compileCacheEnv(), ...env },
    stdio: 'pipe',
    cwd,
  })
  const { stdin, stdout, stderr } = child
  const closed = once(child, 'close')
  const output = text(stdout)
  const errors = text(stderr)
  return {
    ended: closed.then(async () => {
      const { exitCode: code, signalCode: signal } = child
      return { code, signal, output: await output, errors: await errors }
    }),
    say: input => stdin.end(input),
    signal: signal => child.kill(signal),
    until(expected) {
      let seen = ''
      return new Promise(resolve => {
        stdout.on('data', bytes => {
          seen += String(bytes)
          if (seen.includes(expected)) resolve(seen)
        })
      })
    },
  }
}
