import { fork } from 'node:child_process'
import { once } from 'node:events'

/** A server in a child process, so that its CPU time can be measured apart from that of the bench. */
export interface Child extends AsyncDisposable {
  readonly url: string
  /** Returns the CPU time of all its threads since its start, in milliseconds. */
  cpuMs(): Promise<number>
  /** Sends a request to the process, and returns its reply. Only one request may be under way at a time. */
  ask(request: string): Promise<unknown>
}

/** Starts a file of this folder as a process. Returns when the process listens. Throws if it ends too early. */
export async function startChild(file: string, options: readonly string[] = []): Promise<Child> {
  const child = fork(new URL(file, import.meta.url), options, { stdio: 'inherit' })
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`${file} ended with code ${code} before it was asked to.`)
  })
  // `nextMessage` throws this error. After the last message nobody waits for it: then the process may end.
  failed.catch(() => undefined)

  async function nextMessage(): Promise<unknown> {
    const [message] = await Promise.race([once(child, 'message'), failed])
    return message
  }
  async function ask(request: string): Promise<unknown> {
    const reply = nextMessage()
    child.send(request)
    return reply
  }

  const url = String(await nextMessage())
  return {
    url,
    ask,
    cpuMs: async () => Number(await ask('cpu')),
    async [Symbol.asyncDispose]() {
      const exited = once(child, 'exit')
      child.send('close')
      await exited
    },
  }
}

/** What the process does for each request. The bench gets what the function returns. */
type Handlers = Readonly<Record<string, () => Promise<unknown>>>

/** Runs in the child process: tells the bench the URL of this server, and then handles the requests of the bench. */
export function serveBench(url: string, handlers: Handlers): void {
  process.on('message', request => {
    handle(String(request), handlers).catch(error => {
      console.error(error)
      process.exit(1)
    })
  })
  process.send?.(url)
}

async function handle(request: string, handlers: Handlers): Promise<void> {
  if (request === 'cpu') {
    const { user, system } = process.cpuUsage()
    process.send?.((user + system) / 1000)
    return
  }
  const value = await handlers[request]?.()
  if (request === 'close') process.disconnect()
  else process.send?.(value ?? null)
}
