import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:tls'

export interface ProgramOptions {
  readonly command: readonly [string, ...string[]]
  readonly port: number
}

/** Starts a server program, and waits until it serves HTTPS for chat.example. */
export async function startProgram({ command, port }: ProgramOptions): Promise<AsyncDisposable> {
  const [program, ...words] = command
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const output of [child.stdout, child.stderr])
    output.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  let isOver = false
  const over = once(child, 'close').finally(() => {
    isOver = true
  })
  // A program that is not installed rejects, and says so itself.
  const failed = over.then(() => Promise.reject(new Error(`${program} did not start:\n${said}`)))
  await Promise.race([failed, servesHttps(port, () => isOver)])
  // From now on it ends when it is told to.
  failed.catch(() => undefined)
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await over
    },
  }
}

/** Resolves when a connection is secure. A program may listen before it has its certificate. */
async function servesHttps(port: number, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const socket = connect({ port, host: '127.0.0.1', servername: 'chat.example', rejectUnauthorized: false })
    const isThere = await once(socket, 'secureConnect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isThere) return
    // Lets other things happen between two tries.
    await new Promise(resolve => setImmediate(resolve))
  }
  // The one who waits hears why from the program's end.
  await new Promise(() => undefined)
}
