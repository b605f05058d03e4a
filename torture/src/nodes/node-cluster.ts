import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '@throughline/agents/models/demo/seeded-random'
import { urlForNode } from '@throughline/testing/nodes/database-witness'
import { JsonClient } from '../http/json-client.ts'
import type { NodeSettings } from '../server/server-messages.ts'
import type { ServerPool, TorturedServer } from '../server/server-pool.ts'

/** One node of a cluster. */
export interface ClusterNode {
  /** The name of its connections to the database. */
  readonly name: string
  readonly url: string
  readonly client: JsonClient
}

/** The death of a node, or the beginning of a pause. */
export interface Death {
  readonly node: string
  /** In milliseconds since 1970. */
  readonly at: number
}

interface NodePause {
  readonly forMs: number
  readonly isDeath: boolean
}

interface Member extends ClusterNode {
  readonly server: TorturedServer
  isPaused: boolean
}

interface ClusterOptions extends NodeSettings {
  readonly pool: ServerPool
  /** Names the cluster. */
  readonly name: string
  readonly size: number
}

/** How long a client waits for a response. A node that is paused does not respond. */
const timeoutMs = 5_000

/** Real node processes on one database. They are killed and paused. Disposing ends all of them. */
export class NodeCluster implements AsyncDisposable {
  readonly #options: ClusterOptions
  readonly #members: Member[] = []
  readonly #deaths: Death[] = []
  #lastNumber = 0

  private constructor(options: ClusterOptions) {
    this.#options = options
  }

  static async start(options: ClusterOptions): Promise<NodeCluster> {
    const cluster = new NodeCluster(options)
    while (cluster.#members.length < options.size) await cluster.#startNode()
    return cluster
  }

  /** Everything that was done to the nodes so far. */
  get deaths(): readonly Death[] {
    return this.#deaths
  }

  /** Returns any node: clients do not know which ones are paused. */
  anyNode(random: SeededRandom): ClusterNode {
    const node = this.#members[random.below(this.#members.length)]
    if (node === undefined) throw new RangeError('There is no node.')
    return node
  }

  /** Kills a node with SIGKILL, and starts another one. */
  async killOne(random: SeededRandom): Promise<void> {
    const [member] = this.#members.splice(random.below(this.#members.length), 1)
    if (member === undefined) throw new RangeError('There is no node to kill.')
    this.#deaths.push({ node: member.name, at: Date.now() })
    await member.server.kill()
    member.client[Symbol.dispose]()
    await this.#startNode()
  }

  /** Stops a node with SIGSTOP for a while. Resolves when it goes on. `isDeath`: others must take over its runs. */
  async pauseOne(random: SeededRandom, { forMs, isDeath }: NodePause): Promise<void> {
    const awake = this.#members.filter(({ isPaused }) => !isPaused)
    const member = awake[random.below(awake.length)]
    if (member === undefined || awake.length === 1) throw new RangeError('There is no node to pause.')
    member.isPaused = true
    if (isDeath) this.#deaths.push({ node: member.name, at: Date.now() })
    member.server.pause()
    await pause(forMs)
    member.server.resume()
    member.isPaused = false
  }

  /** Throws when a node has ended that nobody has killed. */
  assertAlive(): void {
    const gone = this.#members.find(({ server }) => server.hasEnded())
    if (gone !== undefined) throw new Error(`The node ${gone.name} has ended by itself.`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { client } of this.#members) client[Symbol.dispose]()
    await Promise.all(this.#members.map(({ server }) => server.kill()))
  }

  async #startNode(): Promise<void> {
    const { pool, databaseUrl, effectsFile } = this.#options
    this.#lastNumber += 1
    const name = `${this.#options.name}-${this.#lastNumber}`
    const node = { databaseUrl: urlForNode(databaseUrl, name), effectsFile }
    const started = await pool.start({ folder: '', node })
    if (started.type !== 'open') throw new Error(`A node does not start: ${JSON.stringify(started)}`)
    const { server } = started
    const client = new JsonClient(server.url, { timeoutMs })
    this.#members.push({ name, url: server.url, client, server, isPaused: false })
  }
}
