import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Client } from 'pg'
import { bundledProgram } from '../server/bundled-program.ts'

export interface SupervisedOptions {
  readonly count: number
  readonly folder: string
  /** The Postgres database that the nodes share. Without it there is one node, on SQLite in the folder. */
  readonly databaseUrl?: string
}

interface Slot {
  child: ChildProcess | undefined
  url: string | undefined
  isEnding: boolean
}

/** Processes of `deadly-process.ts`. Each that dies is started again at once, as a supervisor of a machine does. */
export class SupervisedNodes implements AsyncDisposable {
  readonly #options: SupervisedOptions
  readonly #slots: readonly Slot[]
  #isOver = false
  #deaths = 0

  private constructor(options: SupervisedOptions) {
    this.#options = options
    this.#slots = Array.from({ length: options.count }, () => {
      return { child: undefined, url: undefined, isEnding: false }
    })
  }

  static async start(options: SupervisedOptions): Promise<SupervisedNodes> {
    const nodes = new SupervisedNodes(options)
    await Promise.all(nodes.#slots.map(slot => nodes.#start(slot)))
    return nodes
  }

  /** How many processes have died that nobody has stopped. */
  get deaths(): number {
    return this.#deaths
  }

  /** Returns the address of a node that listens now. */
  async anyUrl(): Promise<string> {
    for (;;) {
      const url = this.#slots.map(slot => slot.url).find(url => url !== undefined)
      if (url !== undefined) return url
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }

  /** Stops each node with SIGTERM and starts it again, one after the other, as a deployment does. */
  async restartAll(): Promise<void> {
    for (const slot of this.#slots) {
      const { child } = slot
      if (child === undefined) continue
      slot.isEnding = true
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
      await this.#start(slot)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    for (const { child } of this.#slots) child?.kill('SIGKILL')
    await Promise.all(
      this.#slots.map(({ child }) =>
        child && child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined,
      ),
    )
  }

  async #start(slot: Slot): Promise<void> {
    const { folder, databaseUrl } = this.#options
    const { path, env } = await bundledProgram('deadly-process')
    const flags = databaseUrl === undefined ? [] : [`--database=${databaseUrl}`]
    const child = spawn(process.execPath, [path, `--data=${folder}`, ...flags], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    slot.child = child
    slot.isEnding = false
    const said: string[] = []
    const listening = Promise.withResolvers<void>()
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said.push(text)
      slot.url ??= /http:\S+(?=\s)/.exec(said.join(''))?.[0]
      if (slot.url !== undefined) listening.resolve()
    })
    child.once('exit', () => {
      slot.url = undefined
      listening.resolve()
      if (slot.isEnding || this.#isOver) return
      this.#deaths += 1
      const nodeId = /node_\w+/.exec(said.join(''))?.[0]
      void this.#bury(nodeId).then(() => this.#start(slot))
    })
    await listening.promise
  }

  /** Makes a node dead for the others, which would otherwise find that after 15 seconds. */
  async #bury(nodeId: string | undefined): Promise<void> {
    const { databaseUrl } = this.#options
    if (databaseUrl === undefined || nodeId === undefined || this.#isOver) return
    const client = new Client(databaseUrl)
    await client.connect()
    await client.query('update nodes set seen_at = 1 where id = $1', [nodeId])
    await client.query('update job_leases set until = 1 where node_id = $1', [nodeId])
    await client.end()
  }
}
