import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { inTime } from '../waits/in-time.ts'
import { freePort } from './free-port.ts'

export interface GuideProgram extends AsyncDisposable {
  readonly origin: string
  /** Sends a signal and waits for the end. Returns the exit code and the signal that ended it. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<unknown[]>
}

/** Starts a program of a guide on a free port, and waits until it prints `ready`. It takes its port from `PORT`. */
export async function startGuideProgram(folder: string, program: string): Promise<GuideProgram> {
  const port = await freePort()
  const child = spawn(process.execPath, [program], {
    cwd: folder,
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const end = (signal: 'SIGTERM' | 'SIGKILL') => {
    child.kill(signal)
    return exited
  }
  await untilReady(child)
  return {
    origin: `http://localhost:${port}`,
    end,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) await end('SIGKILL')
    },
  }
}

/** Goes on reading afterwards: a process that prints to a closed pipe fails, and one that nobody reads stops. */
function untilReady({ stdout }: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let output = ''
  stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text
    if (output.includes('ready')) resolve()
  })
  stdout?.once('end', () => reject(new Error(`The program has ended: ${output}`)))
  return inTime('the program is ready', promise, { seen: () => output })
}
