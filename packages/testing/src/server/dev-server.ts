import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { stripVTControlCharacters } from 'node:util'

export interface DevServer extends AsyncDisposable {
  /** The address of its page. */
  readonly url: string
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
  const end = async () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
    await exited
  }
  try {
    return { url: await addressOf(child), [Symbol.asyncDispose]: end }
  } catch (error) {
    await end()
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
