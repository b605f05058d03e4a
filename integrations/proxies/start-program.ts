import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'

export interface ProgramOptions {
  readonly command: readonly [string, ...string[]]
  readonly port: number
}

/** Starts a server program, and waits until it listens. */
export async function startProgram({ command, port }: ProgramOptions): Promise<AsyncDisposable> {
  const [program, ...words] = command
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  const exited = once(child, 'exit')
  let said = ''
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  const ended = Promise.race([exited, once(child, 'error').then(([error]) => Promise.reject(error))])
  const failed = ended.then(() => Promise.reject(new Error(`${program} did not start:\n${said}`)))
  await Promise.race([failed, listens(port)])
  // From now on it ends when it is told to.
  failed.catch(() => undefined)
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await exited
    },
  }
}

/** A port that nobody listens at. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise(resolve => server.close(resolve))
  if (address === null || typeof address === 'string') throw new TypeError('The server has no port.')
  return address.port
}

async function listens(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1')
    const isThere = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (isThere) return
    await new Promise(resolve => setImmediate(resolve))
  }
}
