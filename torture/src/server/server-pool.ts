import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { dirname } from 'node:path'
import { bundleServer } from './bundle-server.ts'
import type { DiskState } from './disk-state.ts'
import { isServerReport, type OpenRequest, type ServerReport, type ServerRequest } from './server-messages.ts'

/** A server process that can be killed. */
export interface TorturedServer {
  readonly url: string
  /** Resolves when the process has ended, by a kill or by itself. */
  readonly ended: Promise<void>
  readonly hasEnded: () => boolean
  /** Kills the process with SIGKILL, and waits until it is gone. */
  kill(): Promise<void>
  /** Tells the process to end as it should, with SIGTERM, and waits until it is gone. Returns its exit code. */
  end(): Promise<number | null>
  setDisk(state: DiskState): void
  /** Sets the clock of the process wrong by `skewMs` milliseconds from now on. */
  setClock(skewMs: number): void
  /** Makes a backup of its SQLite store in a new folder, while it is used. */
  backUp(target: string): Promise<void>
  /** Stops the process in the middle of what it does, with SIGSTOP. It goes on after `resume`. */
  pause(): void
  resume(): void
}

/** What became of a start. `died`: the process ended before it listened, without a word. */
export type Started =
  | { readonly type: 'open'; readonly server: TorturedServer }
  | { readonly type: 'refused'; readonly name: string; readonly message: string }
  | { readonly type: 'died' }

/**
 * Makes the program of the server in a folder, and a pool that starts it. One server is started first, so that all others
 * find compiled code: a process that is killed cannot save what it compiled.
 */
export async function openServerPool(
  folder: string,
  options: { readonly waiting: number },
): Promise<ServerPool> {
  const program = await bundleServer(folder)
  process.env['NODE_COMPILE_CACHE'] = `${folder}/compiled`
  const pool = new ServerPool(program, options)
  const started = await pool.start({ folder: `${folder}/first`, keepsCode: true })
  if (started.type !== 'open') throw new Error(`The server does not start: ${JSON.stringify(started)}`)
  await started.server.kill()
  return pool
}

/** Starts server processes. Some are loaded in advance, because loading takes longer than everything else. */
export class ServerPool implements AsyncDisposable {
  readonly #program: string
  readonly #waiting: ChildProcess[] = []
  readonly #all = new Set<ChildProcess>()
  readonly #waitingCount: number

  constructor(program: string, { waiting }: { readonly waiting: number }) {
    this.#program = program
    this.#waitingCount = waiting
  }

  /** The folder with the bundled programs. */
  get folder(): string {
    return dirname(this.#program)
  }

  async start(request: Partial<Omit<OpenRequest, 'type'>> & { readonly folder: string }): Promise<Started> {
    const child = this.#waiting.shift() ?? this.#spawn()
    if (request.keepsCode !== true)
      while (this.#waiting.length < this.#waitingCount) this.#waiting.push(this.#spawn())
    const ended = endOf(child)
    const reported = reportOf(child)
    const open: ServerRequest = { ...nothingSpecial, ...request }
    if (child.connected) child.send(open)
    const report = await Promise.race([reported, ended.then(() => undefined)])
    if (report === undefined) return { type: 'died' }
    if (report.type === 'backed-up') throw new TypeError('A server made a backup before it was open.')
    if (report.type === 'refused') {
      await ended
      return report
    }
    return { type: 'open', server: torturedServer(child, report.url, ended) }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ends = [...this.#all].map(child => endOf(child))
    for (const child of this.#all) child.kill('SIGKILL')
    await Promise.all(ends)
  }

  #spawn(): ChildProcess {
    // The warnings of Node, and of libraries about their models, say nothing about the torture.
    const child = fork(this.#program, {
      execArgv: ['--no-warnings'],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    this.#all.add(child)
    child.once('exit', () => this.#all.delete(child))
    return child
  }
}

const nothingSpecial = {
  type: 'open',
  node: undefined,
  failPoint: undefined,
  providerUrl: undefined,
  keepsCode: false,
} as const

function torturedServer(child: ChildProcess, url: string, ended: Promise<void>): TorturedServer {
  const tell = (request: ServerRequest) => void child.send(request)
  return {
    url,
    ended,
    hasEnded: () => hasEnded(child),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    setDisk: state => tell({ type: 'disk', state }),
    setClock: skewMs => tell({ type: 'clock', skewMs }),
    async backUp(target) {
      const reported = reportOf(child)
      tell({ type: 'back-up', target })
      const report = await Promise.race([reported, ended.then(() => undefined)])
      if (report?.type !== 'backed-up') throw new Error(`There is no backup: ${JSON.stringify(report)}`)
    },
    async end() {
      child.kill('SIGTERM')
      await ended
      return child.exitCode
    },
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
  }
}

async function reportOf(child: ChildProcess): Promise<ServerReport> {
  const [message]: unknown[] = await once(child, 'message')
  if (isServerReport(message)) return message
  throw new TypeError(`The server process sent ${JSON.stringify(message)}.`)
}

async function endOf(child: ChildProcess): Promise<void> {
  if (!hasEnded(child)) await once(child, 'exit')
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}
