import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { stripVTControlCharacters } from 'node:util'

export interface DevServer extends AsyncDisposable {
  /** The address of its page. */
  readonly url: string
  /** Sends a signal and waits for the end. Returns the exit code, or `null` if the signal ended the process. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>
}

export interface DevServerOptions {
  readonly folder: string
  /** The command and its arguments, for example `npm run dev`. It must print the address of its page. */
  readonly command: readonly [string, ...string[]]
  readonly env?: Readonly<Record<string, string>>
}

/** Starts the development server of a front end with its command, in its own process, and waits for its address. */
export async function startDevServer({ folder, command, env }: DevServerOptions): Promise<DevServer> {
  const [program, ...words] = command
  const child = spawn(program, words, {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // Its own process group: `npm` starts more processes, and all of them must end together.
    detached: true,
  })
  const exited = once(child, 'exit')
  const end: DevServer['end'] = async signal => {
    const isOver = child.exitCode !== null || child.signalCode !== null
    if (child.pid !== undefined && !isOver) process.kill(-child.pid, signal)
    await exited
    return child.exitCode
  }
  const dispose = async () => void (await end('SIGKILL'))
  try {
    return { url: await addressOf(child), end, [Symbol.asyncDispose]: dispose }
  } catch (error) {
    await dispose()
    throw error
  }
}

/** Reads all output: a process whose output nobody reads stops when the pipe is full. */
function addressOf(child: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let said = ''
  for (const output of [child.stdout, child.stderr]) {
    output?.setEncoding('utf8').on('data', (text: string) => {
      said += stripVTControlCharacters(text)
      const [url] = /http:\/\/(?:localhost|127\.0\.0\.1):\d+(?=\s|\/)/.exec(said) ?? []
      if (url !== undefined) resolve(url)
    })
  }
  child.once('error', reject)
  child.once('close', code => reject(new Error(`The development server did not start (${code}):\n${said}`)))
  return promise
}
