import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { type BundledProgram, bundledProgram } from './bundled-program.ts'
import { compileCacheEnv } from './compile-cache.ts'

/** `throughline serve` in its own process, which a test may kill. */
export interface ChildServer extends AsyncDisposable {
  readonly url: string
  /** Everything that the process has printed so far. */
  readonly output: () => string
  /** Sends a signal and waits for the end. Returns the exit code, or `null` if the signal ended the process. */
  end(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | null>
  /** Stops the process in the middle of what it does. It goes on after `resume`. */
  pause(): void
  resume(): void
}

const program = fileURLToPath(new URL('../../../../apps/cli/bin/throughline.js', import.meta.url))

/** Starts the command with the demo model. It gets none of this process's settings. `cwd` is where it looks for a configuration. */
export function startChildServer(
  dataFolder: string,
  env: Readonly<Record<string, string>> = {},
  cwd?: string,
): Promise<ChildServer> {
  return start({ path: program, env: compileCacheEnv() }, { dataFolder, env, cwd })
}

/**
 * Starts the same command in one file, which takes a third of the time. For tests whose subject is not the command itself.
 * Its configuration cannot import anything of Throughline.
 */
export async function startBundledServer(
  dataFolder: string,
  env: Readonly<Record<string, string>> = {},
  cwd?: string,
): Promise<ChildServer> {
  return start(await bundledProgram('throughline'), { dataFolder, env, cwd })
}

interface ChildOptions {
  readonly dataFolder: string
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | undefined
}

async function start(command: BundledProgram, { dataFolder, env, cwd }: ChildOptions): Promise<ChildServer> {
  const child = spawn(process.execPath, [command.path, 'serve'], {
    cwd,
    env: {
      ...command.env,
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
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) await end('SIGKILL')
    },
  }
}

// All output is read: a process whose output nobody reads stops when the pipe is full.
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
  // "close" comes after "exit": by then all output has been read.
  child.once('close', (code, signal) => {
    reject(new Error(`The server did not start (${code ?? signal}):\n${output.join('')}`))
  })
  return promise
}
