import { setTimeout as pause } from 'node:timers/promises'
import type { SeededRandom } from '@throughline/agents/testing'
import { type Fault, startFaultProxy } from '@throughline/testing/faults/fault-proxy'
import { proxiedUrl } from '@throughline/testing/postgres/proxied-url'
import type { Scenario } from '../scenario.ts'
import { type DisturbedDatabase, databaseScenario, nodeCount } from './database-scenario.ts'
import { type PreparedPostgres, preparePostgres, throughlineUrl } from './prepared-postgres.ts'

/**
 * The network between Postgres and one node, or all nodes but one, is disturbed. In every other case sometimes for so long
 * that others take the runs over, while the node that is cut off still has them.
 */
export const partition: Scenario = databaseScenario({
  name: 'partition',
  unit: 'partitions',
  lanes: 2,
  perCase: 10,
  async open() {
    const prepared = await preparePostgres()
    return {
      create: (random, seed) => partitionedDatabase(prepared, random, seed),
      [Symbol.asyncDispose]: () => prepared[Symbol.asyncDispose](),
    }
  },
})

/** What the network does. The nodes cannot be heard at all while it keeps or swallows what they send. */
interface Disturbance {
  readonly name: string
  readonly fault: Fault
  readonly isSilence: boolean
}

const disturbances: readonly [Disturbance, ...Disturbance[]] = [
  { name: 'statements held', fault: { type: 'hold', from: 'client' }, isSilence: true },
  { name: 'results held', fault: { type: 'hold', from: 'upstream' }, isSilence: false },
  { name: 'both held', fault: { type: 'hold', from: 'both' }, isSilence: true },
  { name: 'slow', fault: { type: 'latency', delayMs: 150 }, isSilence: false },
  // Connections are accepted, and nobody ever responds. Those that were open stay dead afterwards.
  { name: 'half-open', fault: { type: 'black-hole', afterBytes: 0 }, isSilence: true },
]

/**
 * Connections that nobody uses any more stay open on the server. A real network is found dead by its keep-alives, but the
 * proxy would respond to them: so the server ends sessions that are silent.
 */
const settings = { max_connections: 400, idle_session_timeout: '40s', authentication_timeout: '10s' }

async function partitionedDatabase(
  prepared: PreparedPostgres,
  random: SeededRandom,
  seed: number,
): Promise<DisturbedDatabase> {
  const server = await prepared.start(`partition-${seed}`, { settings })
  const url = throughlineUrl(server)
  const lines = await Promise.all(Array.from({ length: nodeCount }, () => startFaultProxy(url)))
  const hasLong = seed % 2 === 1
  return {
    url,
    storeOf(node) {
      const line = lines[node - 1]
      if (line === undefined) throw new RangeError(`Node ${node} has no line to the database.`)
      return { type: 'postgres', url: proxiedUrl(url, line) }
    },
    mayLose: false,
    mustWork: hasLong ? 'answers and known calls' : 'answers and tools',
    async disturb(cluster) {
      const disturbance = random.pick(disturbances)
      const isLong = hasLong && random.next() < 0.5
      // A node is dead after 15 seconds, and others look for its runs every 2 seconds.
      const forMs = isLong ? 18_000 + random.below(6_000) : 1_000 + random.below(7_000)
      const one = random.below(nodeCount)
      const isOneAlone = random.next() < 0.6
      const cut = lines.filter((_, index) => (index === one) === isOneAlone)
      for (const line of cut) {
        if (isLong && disturbance.isSilence) cluster.noteDeath(lines.indexOf(line) + 1)
        line.disturb(disturbance.fault)
      }
      await pause(forMs)
      for (const line of cut) line.disturb({ type: 'none' })
      // Whoever has taken runs over goes on with them, before its own line is cut.
      if (isLong) await pause(4_000)
      return `${disturbance.name}${isLong ? ' for long' : ''}`
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(lines.map(line => line[Symbol.asyncDispose]()))
      await server.stop('immediate')
      await prepared.machine.removeData(server.data)
    },
  }
}
