import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '@throughline/agents/testing'
import type { Death } from '@throughline/protocol/history'
import { HttpClient } from '@throughline/testing/http/http-client'
import { urlForNode } from '@throughline/testing/nodes/database-witness'
import type { FailedRequest } from '@throughline/testing/proxies/many-clients'
import type { NodeSettings, NodeStore } from '../server/server-messages.ts'
import type { ServerPool, TorturedServer } from '../server/server-pool.ts'

/** One node of a cluster. */
export interface ClusterNode {
  /** The name of its connections to the database. */
  readonly name: string
  readonly url: string
  readonly client: HttpClient
  /** Is told each request that fails, where none may. */
  readonly onFailure?: (failure: FailedRequest) => void
}

interface NodePause {
  readonly forMs: number
  readonly isDeath: boolean
}

interface Member extends ClusterNode {
  readonly server: TorturedServer
  readonly port: number
  isPaused: boolean
  /** Whether the torture has killed it. */
  isKilled: boolean
}

export interface ClusterOptions extends Omit<NodeSettings, 'store' | 'skewMs' | 'port'> {
  /** Returns where the node with this number keeps its data. The first one has the number 1. */
  readonly storeOf: (node: number) => NodeStore
  readonly pool: ServerPool
  /** Names the cluster. */
  readonly name: string
  readonly size: number
  /** Returns how wrong the clock of a node is when it starts, in milliseconds. */
  readonly skewOf?: () => number
  /** Whether a node that ends by itself is started again, as the supervisor of a machine does. */
  readonly isSupervised?: boolean
  /** Where each node listens. Default: anywhere. */
  readonly ports?: readonly number[]
}

/** How long a client waits for a response. A node that is paused does not respond. */
const timeoutMs = 5_000

/** Real node processes on one database. They are killed and paused. Disposing ends all of them. */
export class NodeCluster implements AsyncDisposable {
  readonly #options: ClusterOptions
  readonly #members: Member[] = []
  readonly #deaths: Death[] = []
  readonly #leavings: Death[] = []
  #lastNumber = 0
  /** Why a node that ended by itself was not started again. */
  #problem: unknown

  private constructor(options: ClusterOptions) {
    this.#options = options
  }

  static async start(options: ClusterOptions): Promise<NodeCluster> {
    const cluster = new NodeCluster(options)
    await cluster.#startNodes()
    return cluster
  }

  /** The deaths of nodes so far, also of those that have ended by themselves. */
  get deaths(): readonly Death[] {
    return this.#deaths
  }

  /** When each node that was told to end had ended. */
  get leavings(): readonly Death[] {
    return this.#leavings
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
    await kill(member)
    member.client[Symbol.dispose]()
    await this.#startNode()
  }

  /** Notes that from now on nobody hears the node with this number. Others must take over its runs. */
  noteDeath(node: number): void {
    this.#deaths.push({ node: this.#nameOf(node), at: Date.now() })
  }

  /** Ends each node as it should, one after the other, and starts another one at its port. */
  async restartAll(betweenMs: () => number): Promise<void> {
    for (const { server, client, name, port } of [...this.#members]) {
      const code = await server.end()
      this.#leavings.push({ node: name, at: Date.now() })
      if (code !== 0) throw new Error(`The node ${name} was told to end, and ended with ${code}.`)
      client[Symbol.dispose]()
      this.#members.shift()
      await this.#startNode(port)
      await pause(betweenMs())
    }
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

  /** Kills all nodes with SIGKILL. Until others are started, nobody is at their addresses. */
  async killAll(): Promise<void> {
    await Promise.all(this.#members.map(kill))
  }

  /** Sets the clock of a node wrong by `skewMs`, while it works. */
  setClockOfOne(random: SeededRandom, skewMs: number): void {
    this.#members[random.below(this.#members.length)]?.server.setClock(skewMs)
  }

  /** Makes a backup of the SQLite store of the only node, while it works. */
  async backUp(target: string): Promise<void> {
    await this.#members[0]?.server.backUp(target)
  }

  /** Starts as many new nodes as there were. */
  async startAgain(): Promise<void> {
    const old = [...this.#members]
    await this.#startNodes()
    // Only now, so that there is always somebody to ask.
    this.#members.splice(0, old.length)
    for (const { client } of old) client[Symbol.dispose]()
  }

  /** Throws when a node has ended that nobody has killed, and is not started again. */
  assertAlive(): void {
    if (this.#problem !== undefined) throw this.#problem
    if (this.#options.isSupervised === true) return
    const gone = this.#members.find(({ server }) => server.hasEnded())
    if (gone !== undefined) throw new Error(`The node ${gone.name} has ended by itself.`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { client } of this.#members) client[Symbol.dispose]()
    await this.killAll()
  }

  async #startNodes(): Promise<void> {
    const { size, ports = [] } = this.#options
    await Promise.all(Array.from({ length: size }, (_, index) => this.#startNode(ports[index])))
  }

  async #startNode(port = 0): Promise<void> {
    const { pool, storeOf, effectsFile, hookUrl, skewOf, isSupervised } = this.#options
    this.#lastNumber += 1
    const name = this.#nameOf(this.#lastNumber)
    const store = named(storeOf(this.#lastNumber), name)
    const skewMs = skewOf === undefined ? {} : { skewMs: skewOf() }
    const node = { store, effectsFile, hookUrl, port, ...skewMs }
    const started = await pool.start({ folder: '', node })
    if (started.type === 'died' && isSupervised === true) {
      // It has taken over a run that has killed it at once.
      this.#deaths.push({ node: name, at: Date.now() })
      return this.#startNode()
    }
    if (started.type !== 'open') throw new Error(`A node does not start: ${JSON.stringify(started)}`)
    const { server } = started
    const client = new HttpClient(server.url, { timeoutMs })
    const member = { name, url: server.url, client, server, port, isPaused: false, isKilled: false }
    this.#members.push(member)
    if (isSupervised === true) void server.ended.then(() => this.#replace(member))
  }

  #nameOf(number: number): string {
    return `${this.#options.name}-${number}`
  }

  /** Starts another node in the place of one that has ended by itself. */
  async #replace(member: Member): Promise<void> {
    if (member.isKilled) return
    this.#deaths.push({ node: member.name, at: Date.now() })
    try {
      await this.#startNode()
    } catch (error) {
      this.#problem ??= error
    }
    // Only now, so that there is always somebody to ask.
    this.#members.splice(this.#members.indexOf(member), 1)
    member.client[Symbol.dispose]()
  }
}

function kill(member: Member): Promise<void> {
  member.isKilled = true
  return member.server.kill()
}

function named(store: NodeStore, name: string): NodeStore {
  return store.type === 'postgres' ? { ...store, url: urlForNode(store.url, name) } : store
}
