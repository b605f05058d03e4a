import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '@throughline/agents/testing'
import { type FaultProxy, startFaultProxy } from '@throughline/testing/faults/fault-proxy'
import { type MachineServer, promote, untilStreaming } from '@throughline/testing/postgres/postgres-machine'
import { proxiedUrl } from '@throughline/testing/postgres/proxied-url'
import type { Scenario } from '../scenario.ts'
import { type DisturbedDatabase, databaseScenario } from './database-scenario.ts'
import { type PreparedPostgres, preparePostgres, throughlineUrl } from './prepared-postgres.ts'

/**
 * A primary with a streaming standby, behind a proxy. The primary crashes, the standby is promoted, the proxy leads to it, and
 * it gets a standby of its own.
 */
export const failover: Scenario = databaseScenario({
  name: 'failover',
  unit: 'failovers',
  lanes: 2,
  perCase: 8,
  async open() {
    const prepared = await preparePostgres()
    return {
      async create(random, seed) {
        const kind = kinds[seed % kinds.length] ?? 'async'
        return kind === 'restart'
          ? restartingDatabase(prepared, seed)
          : replicatedDatabase(prepared, { kind, random, seed })
      },
      [Symbol.asyncDispose]: () => prepared[Symbol.asyncDispose](),
    }
  },
})

/**
 * - `async`: the standby lacks the newest entries.
 * - `sync`: the primary confirms nothing that its standby does not have.
 * - `early`: as `async`, but the proxy leads to the standby four seconds before it is promoted.
 * - `restart`: no standby. The server does not wait for its disk (`synchronous_commit = off`), crashes and starts again.
 */
const kinds = ['async', 'sync', 'restart', 'early'] as const

/** How much the server may lose that does not wait for its disk: up to three times this. */
const lazySettings = { synchronous_commit: 'off', wal_writer_delay: '800ms' }

async function restartingDatabase(prepared: PreparedPostgres, seed: number): Promise<DisturbedDatabase> {
  const { machine } = prepared
  const data = `restart-${seed}`
  let server = await prepared.start(data, { settings: lazySettings })
  const { port } = server
  const url = throughlineUrl(server)
  return {
    url,
    storeOf: () => ({ type: 'postgres', url }),
    // Only what the server was told not to wait for.
    mayLose: false,
    mustWork: 'answers',
    async disturb() {
      await server.stop('immediate')
      server = await machine.start(data, { port, settings: lazySettings })
      return 'crash without synchronous_commit'
    },
    async [Symbol.asyncDispose]() {
      await server.stop('immediate')
      await machine.removeData(data)
    },
  }
}

interface ReplicatedOptions {
  readonly kind: Exclude<(typeof kinds)[number], 'restart'>
  readonly random: SeededRandom
  readonly seed: number
}

async function replicatedDatabase(
  prepared: PreparedPostgres,
  { kind, random, seed }: ReplicatedOptions,
): Promise<DisturbedDatabase> {
  const pair = await ReplicatedPair.start(prepared, {
    name: `failover-${seed}`,
    isSynchronous: kind === 'sync',
  })
  const proxy = await startFaultProxy(pair.primary.url)
  const url = proxiedUrl(throughlineUrl(pair.primary), proxy)
  return {
    url,
    storeOf: () => ({ type: 'postgres', url }),
    mayLose: kind !== 'sync',
    mustWork: 'answers',
    async disturb() {
      if (kind !== 'sync') await pair.lag(random.below(600))
      await pair.primary.stop('immediate')
      if (kind === 'early') {
        leadTo(proxy, pair.standby)
        await pause(4_000)
      }
      await pair.failOver()
      leadTo(proxy, pair.primary)
      await pair.addStandby()
      return kind
    },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]()
      await pair[Symbol.asyncDispose]()
    },
  }
}

function leadTo(proxy: FaultProxy, { url }: MachineServer): void {
  proxy.moveTo(url)
  proxy.resetAll()
}

interface PairOptions {
  readonly name: string
  readonly isSynchronous: boolean
}

interface Standby {
  readonly server: MachineServer
  /** What the standby receives comes through this. */
  readonly line: FaultProxy
}

/** A primary, and a standby that streams from it. */
class ReplicatedPair implements AsyncDisposable {
  readonly #prepared: PreparedPostgres
  readonly #options: PairOptions
  #primary: MachineServer
  #standby: Standby | undefined
  #lastNumber = 1

  private constructor(prepared: PreparedPostgres, options: PairOptions, primary: MachineServer) {
    this.#prepared = prepared
    this.#options = options
    this.#primary = primary
  }

  static async start(prepared: PreparedPostgres, options: PairOptions): Promise<ReplicatedPair> {
    const primary = await prepared.start(`${options.name}-1`, { settings: settingsOf(options) })
    const pair = new ReplicatedPair(prepared, options, primary)
    await pair.addStandby()
    return pair
  }

  get primary(): MachineServer {
    return this.#primary
  }

  get standby(): MachineServer {
    return this.#streaming.server
  }

  /** The standby gets nothing more for this time at first. */
  async lag(forMs: number): Promise<void> {
    this.#streaming.line.disturb({ type: 'hold', from: 'both' })
    await pause(forMs)
  }

  /** The standby becomes the primary. The old primary must have stopped. */
  async failOver(): Promise<void> {
    const { server, line } = this.#streaming
    await line[Symbol.asyncDispose]()
    await promote(server)
    await this.#prepared.machine.removeData(this.#primary.data)
    this.#primary = server
    this.#standby = undefined
  }

  /** Copies the primary, and starts the copy as its standby. */
  async addStandby(): Promise<void> {
    const { machine } = this.#prepared
    this.#lastNumber += 1
    const data = `${this.#options.name}-${this.#lastNumber}`
    await machine.backUp(this.#primary, data)
    const line = await startFaultProxy(this.#primary.url)
    const options = {
      settings: settingsOf(this.#options),
      standbyOf: { port: Number(new URL(line.url).port) },
    }
    const server = await machine.start(data, options)
    this.#standby = { server, line }
    await untilStreaming(this.#primary, server)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#standby?.line[Symbol.asyncDispose]()
    for (const server of [this.#primary, this.#standby?.server]) {
      if (server === undefined) continue
      await server.stop('immediate')
      await this.#prepared.machine.removeData(server.data)
    }
  }

  get #streaming(): Standby {
    if (this.#standby === undefined) throw new Error('The primary has no standby.')
    return this.#standby
  }
}

/** With a synchronous standby, a commit waits until the standby has it on its disk. */
function settingsOf({ isSynchronous }: PairOptions): Readonly<Record<string, string>> {
  return isSynchronous ? { synchronous_standby_names: '*' } : {}
}
