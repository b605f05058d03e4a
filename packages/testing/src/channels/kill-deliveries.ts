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

export async function startDeliveries(
  words: readonly string[],
  cacheFolder: string,
): Promise<DeliveryProcess> {
  const child = spawn(process.execPath, [program, ...words], {
    // The process is started hundreds of times, so compiled code is cached.
    env: { ...process.env, NODE_COMPILE_CACHE: cacheFolder },
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
