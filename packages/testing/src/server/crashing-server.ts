import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { bundledProgram } from './bundled-program.ts'

/** A process of `crash-process.ts`. */
export interface CrashingServer extends AsyncDisposable {
  readonly url: string
  /** Kills the process with SIGKILL: it cannot save or finish anything. */
  kill(): Promise<void>
}

/** The flags of `crash-process.ts`. */
type CrashFlag = '--hang' | '--no-continue' | `--${'database' | 'page' | 'port'}=${string}`

/** Starts `crash-process.ts` on a data folder, and waits until it listens. */
export async function startCrashing(folder: string, ...flags: readonly CrashFlag[]): Promise<CrashingServer> {
  const { path, env } = await bundledProgram('crash-process')
  const child = spawn(process.execPath, [path, '--data', folder, ...flags], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await exited
  }
  return { url: await firstLine(child), kill, [Symbol.asyncDispose]: kill }
}

/** Returns the lines of a file that the process writes; none when there is no such file. */
export async function linesIn(folder: string, file: 'effects' | 'prompts'): Promise<readonly string[]> {
  const text = await readFile(join(folder, file), 'utf8').catch(() => '')
  return text.split('\n').filter(line => line !== '')
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new TypeError('The child has no output.')
  const [bytes] = await once(stdout, 'data')
  return String(bytes).trim()
}
