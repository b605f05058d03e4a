import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Server } from 'node:http'
import { z } from 'zod'

/** A server in a child process, so that its CPU time can be measured apart from that of the bench. */
export interface Child extends AsyncDisposable {
  readonly url: string
  /** The id of the process. */
  readonly pid: number
  /** Returns the CPU time of all its threads since its start, in milliseconds. */
  cpuMs(): Promise<number>
  /**
   * Sends a request to the process, and returns its reply. Only one request may be under way at a time. `parameters` is
   * any value that can be written as JSON.
   */
  ask(request: string, parameters?: unknown): Promise<unknown>
  /** Ends the process at once, as a crash does (SIGKILL). Resolves when it is gone. */
  kill(): Promise<void>
}

/**
 * Starts a file of this folder as a process. Returns when the process listens. Throws if it ends too early. `env` is
 * added to the environment: secrets go there, because others can see the words of a command.
 */
export async function startChild(
  file: string,
  options: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const child = fork(new URL(file, import.meta.url), options, {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`${file} ended with code ${code} before it was asked to.`)
  })
  // `nextMessage` throws this error. After the last message nobody waits for it: then the process may end.
  failed.catch(() => undefined)

  async function nextMessage(): Promise<unknown> {
    const [message] = await Promise.race([once(child, 'message'), failed])
    return message
  }
  async function ask(request: string, parameters?: unknown): Promise<unknown> {
    const reply = nextMessage()
    child.send({ request, parameters })
    return reply
  }

  const url = String(await nextMessage())
  if (child.pid === undefined) throw new Error(`${file} did not start.`)
  return {
    url,
    pid: child.pid,
    ask,
    cpuMs: async () => Number(await ask('cpu')),
    async kill() {
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
    async [Symbol.asyncDispose]() {
      // It was killed, or it has failed already, and the bench fails with its error.
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.send({ request: 'close' })
      await exited
    },
  }
}

const requestMessage = z.object({ request: z.string(), parameters: z.unknown().optional() })

/** What the process does for each request. The bench gets what the function returns. */
type Handlers = Readonly<Record<string, (parameters: unknown) => Promise<unknown>>>

/** Runs in the child process: tells the bench the URL of this server, and then handles the requests of the bench. */
export function serveBench(url: string, handlers: Handlers): void {
  process.on('message', message => {
    handle(message, handlers).catch(error => {
      console.error(error)
      process.exit(1)
    })
  })
  // The bench has ended, or has closed this process.
  process.once('disconnect', () => process.exit())
  process.send?.(url)
}

/** The same for an HTTP server that does not listen yet. It gets a free port, and ends with the bench. */
export async function serveHttp(server: Server, handlers: Handlers = {}): Promise<void> {
  // Thousands of viewers may come at once.
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 })
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  serveBench(`http://127.0.0.1:${port}`, {
    ...handlers,
    async close() {
      server.closeAllConnections()
      server.close()
    },
  })
}

async function handle(message: unknown, handlers: Handlers): Promise<void> {
  const { request, parameters } = requestMessage.parse(message)
  if (request === 'cpu') {
    const { user, system } = process.cpuUsage()
    process.send?.((user + system) / 1000)
    return
  }
  const value = await handlers[request]?.(parameters)
  if (request === 'close') process.disconnect()
  else process.send?.(value ?? null)
}
