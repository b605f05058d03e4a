import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** `throughline serve` in a process of its own, which a test may kill. */
export interface ChildServer extends AsyncDisposable {
  readonly url: string
  /** Everything it has printed so far: what it says at its start, and its log. */
  readonly output: () => string
  /** Sends the signal and waits for the end; answers the exit code, or `null` when the signal ended it. */
  end(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | null>
}

const program = fileURLToPath(new URL('../../../../apps/cli/bin/throughline.js', import.meta.url))

/** Starts the command with the demo model, and nothing of this process's settings. */
export async function startChildServer(
  dataFolder: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ChildServer> {
  const child = spawn(process.execPath, [program, 'serve'], {
    env: {
      PORT: '0',
      THROUGHLINE_DATA: dataFolder,
      THROUGHLINE_MODEL: 'demo',
      THROUGHLINE_LOG: 'silent',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  const end: ChildServer['end'] = async signal => {
    child.kill(signal)
    await exited
    return child.exitCode
  }
  const output: string[] = []
  const url = await urlOf(child, output)
  return {
    url,
    output: () => output.join(''),
    end,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) await end('SIGKILL')
    },
  }
}

// Read to the end: a child whose output nobody reads would stop when the pipe is full.
function urlOf(child: ChildProcess, output: string[]): Promise<string> {
  const { stdout, stderr } = child
  if (stdout === null || stderr === null) throw new TypeError('The child has no output.')
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let url: string | undefined
  const hear = (text: string) => {
    output.push(text)
    url ??= /http:\/\/\S+(?=\s)/.exec(output.join(''))?.[0]
    if (url !== undefined) resolve(url)
  }
  stdout.setEncoding('utf8').on('data', hear)
  stderr.setEncoding('utf8').on('data', hear)
  // Closed is later than exited: by then everything that was said has been heard.
  child.once('close', (code, signal) => {
    reject(new Error(`The server did not start (${code ?? signal}):\n${output.join('')}`))
  })
  return promise
}
