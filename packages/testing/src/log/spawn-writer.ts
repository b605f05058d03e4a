import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

export interface SpawnedWriter extends AsyncDisposable {
  /** Has one line for each acknowledged append: the number of its last entry. */
  readonly acknowledged: Readable
  /** Kills the process with SIGKILL, and waits until it has ended. */
  kill(): Promise<void>
}

/** Starts `append-forever.ts` in its own process, on the store in a folder. */
export function spawnWriter(folder: string): SpawnedWriter {
  const script = fileURLToPath(import.meta.resolve('./append-forever.ts'))
  const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await exited
    assertKilled(child)
  }
  return { acknowledged: child.stdout, kill, [Symbol.asyncDispose]: kill }
}

function assertKilled({ signalCode, exitCode }: ChildProcess): void {
  if (signalCode !== 'SIGKILL') throw new Error(`The writer ended by itself, with the exit code ${exitCode}.`)
}
