import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { makeDataFolder } from './data-folder.ts'

/** `throughline serve` in a process of its own. */
export interface CliServer extends AsyncDisposable {
  readonly url: string
  readonly pid: number
}

const program = fileURLToPath(new URL('../../../../apps/cli/bin/throughline.js', import.meta.url))
const folder = fileURLToPath(new URL('./cli', import.meta.url))

/**
 * Starts the command as people deploy it: with a configuration file, a plain agent and its data on a disk. Nothing of the
 * bench is in the process. `added` is added to its environment.
 */
export async function startCliServer({
  env: added,
}: {
  readonly env?: Readonly<Record<string, string>> | undefined
} = {}): Promise<CliServer> {
  const data = await makeDataFolder()
  const env = {
    ...process.env,
    PORT: '0',
    THROUGHLINE_DATA: data,
    THROUGHLINE_LOG: 'error',
    NODE_OPTIONS: '',
    ...added,
  }
  const child = spawn(process.execPath, [...nodeFlags(), program, 'serve'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const lines = createInterface(child.stdout)
  const listening = (async () => {
    for await (const line of lines) {
      const [, url] = /listens at (\S+) /.exec(line) ?? []
      if (url !== undefined) return url
    }
    throw new Error('"throughline serve" ended before it listened. Its error is above.')
  })()
  const url = await listening
  child.stdout.resume()
  if (child.pid === undefined) throw new Error('"throughline serve" did not start.')
  return {
    url,
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await exited
      await rm(data, { recursive: true })
    },
  }
}

/** For profiles: `BENCH_NODE_FLAGS="--cpu-prof --cpu-prof-dir=/tmp/profiles"`. */
function nodeFlags(): readonly string[] {
  return (process.env['BENCH_NODE_FLAGS'] ?? '').split(' ').filter(flag => flag !== '')
}
