import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('./delivery-process.ts', import.meta.url))

/** A process of `delivery-process.ts`, which the test will kill. */
export interface DeliveryProcess {
  readonly url: string
  /** Kills the process with SIGKILL: it cannot save or finish anything. */
  kill(): Promise<void>
}

/** Starts `delivery-process.ts` with these command line options, and waits until it listens. */
export async function startDeliveries(words: readonly string[]): Promise<DeliveryProcess> {
  const child = spawn(process.execPath, [program, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const url = await firstLine(child)
  return {
    url,
    async kill() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new TypeError('The child has no output.')
  const [bytes] = await once(stdout, 'data')
  return String(bytes).trim()
}
