import { fork } from 'node:child_process'
import { once } from 'node:events'

/** A server in a process of its own, so that its processor time is its own too. */
export interface Child extends AsyncDisposable {
  readonly url: string
  /** Processor time of all its threads so far. */
  cpuMs(): Promise<number>
  /** Asks it to do something, and waits for the answer. */
  ask(request: string): Promise<unknown>
}

export async function startChild(file: string, options: readonly string[] = []): Promise<Child> {
  const child = fork(new URL(file, import.meta.url), options, { stdio: 'inherit' })
  const failed = once(child, 'exit').then(([code]) => {
    throw new Error(`${file} ended with code ${code} before it was asked to.`)
  })
  // Reported where somebody waits for an answer; at the end nobody does.
  failed.catch(() => undefined)

  async function nextMessage(): Promise<unknown> {
    const [message] = await Promise.race([once(child, 'message'), failed])
    return message
  }
  async function ask(request: string): Promise<unknown> {
    const answer = nextMessage()
    child.send(request)
    return answer
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

type Answers = Readonly<Record<string, () => Promise<unknown>>>

/** The other end: says where this process listens, and answers the bench that started it. */
export function serveBench(url: string, answers: Answers): void {
  process.on('message', request => {
    answer(String(request), answers).catch(error => {
      console.error(error)
      process.exit(1)
    })
  })
  process.send?.(url)
}

async function answer(request: string, answers: Answers): Promise<void> {
  if (request === 'cpu') {
    const { user, system } = process.cpuUsage()
    process.send?.((user + system) / 1000)
    return
  }
  const value = await answers[request]?.()
  if (request === 'close') process.disconnect()
  else process.send?.(value ?? null)
}
