import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

// Test only: the command in a process of its own, with pipes instead of a terminal.

const path = fileURLToPath(new URL('../bin/throughline.js', import.meta.url))

export interface Ended {
  readonly code: number | null
  readonly output: string
  readonly errors: string
}

export interface Program {
  readonly ended: Promise<Ended>
  /** Writes the whole input. */
  say(input: string): void
  signal(signal: 'SIGINT'): void
  /** Resolves when this is in the output. */
  until(expected: string): Promise<void>
}

/** Starts `throughline` with these words, and nothing of this process's settings. */
export function startProgram(words: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  const child = spawn(process.execPath, [path, ...words], { env, stdio: 'pipe' })
  const { stdin, stdout, stderr } = child
  const closed = once(child, 'close')
  const output = text(stdout)
  const errors = text(stderr)
  return {
    ended: closed.then(async () => ({ code: child.exitCode, output: await output, errors: await errors })),
    say: input => stdin.end(input),
    signal: signal => child.kill(signal),
    until(expected) {
      let seen = ''
      return new Promise(resolve => {
        stdout.on('data', bytes => {
          seen += String(bytes)
          if (seen.includes(expected)) resolve()
        })
      })
    },
  }
}
