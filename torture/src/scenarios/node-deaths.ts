import { setTimeout as pause } from 'node:timers/promises'
import { type SeededRandom, seededRandom } from '@throughline/agents/models/demo/seeded-random'
import { openPostgresStore } from '@throughline/store/open-postgres-store'
import { witnessDatabase } from '@throughline/testing/nodes/database-witness'
import { findPostgres } from '@throughline/testing/postgres/find-postgres'
import { freshDatabase } from '@throughline/testing/postgres/fresh-database'
import { checkCluster } from '../nodes/check-cluster.ts'
import { NodeChats } from '../nodes/node-chats.ts'
import { NodeCluster } from '../nodes/node-cluster.ts'
import { checkChat } from './check-chat.ts'
import type { Place, Scenario } from './scenario.ts'
import { addTallies, type Tally } from './tally.ts'

/** How the nodes of a case are disturbed. Many times, because the chats take a minute to end after the last time. */
interface Disturbance extends Pick<Scenario, 'name' | 'unit'> {
  readonly nodes: number
  readonly perCase: number
  /** Disturbs nodes so many times. Resolves when all nodes work again. */
  disturb(cluster: NodeCluster, random: SeededRandom, count: number): Promise<void>
}

/** Three nodes on one database write many answers. Every few seconds one is killed, and another one started. */
export const nodeKills: Scenario = scenarioOf({
  name: 'node-kills',
  unit: 'node kills',
  nodes: 3,
  perCase: 40,
  async disturb(cluster, random, count) {
    for (let kill = 0; kill < count; kill += 1) {
      // Some kills come at once: they hit nodes that are taking over runs, or have just started.
      await pause(random.next() < 0.2 ? random.below(300) : 3_000 + random.below(2_500))
      cluster.assertAlive()
      await cluster.killOne(random)
    }
  },
})

/** Four nodes, up to two of which are stopped with SIGSTOP until others have their runs, and then go on. */
export const nodePauses: Scenario = scenarioOf({
  name: 'node-pauses',
  unit: 'node pauses',
  nodes: 4,
  perCase: 10,
  async disturb(cluster, random, count) {
    let left = count
    async function pauseInTurn(): Promise<void> {
      while (left > 0) {
        left -= 1
        await pause(1_000 + random.below(4_000))
        cluster.assertAlive()
        // A node is dead after 15 seconds, and others look for its runs every 5 seconds.
        await cluster.pauseOne(random, { forMs: 20_000 + random.below(4_000), isDeath: true })
        // Some nodes go on while others are just taking over their runs. These pauses are not counted.
        if (random.next() < 0.3)
          await cluster.pauseOne(random, { forMs: 11_000 + random.below(6_000), isDeath: false })
      }
    }
    await Promise.all([pauseInTurn(), pauseInTurn()])
  },
})

function scenarioOf(disturbance: Disturbance): Scenario {
  const { name, unit } = disturbance
  return {
    name,
    unit,
    async open(place) {
      const postgres = await findPostgres()
      console.log(`${name} runs on Postgres, ${postgres.origin}.`)
      return {
        lanes: 1,
        run: seed => disturbCase(disturbance, { place, seed, serverUrl: postgres.url }),
        [Symbol.asyncDispose]: () => postgres[Symbol.asyncDispose](),
      }
    },
  }
}

interface Case {
  readonly place: Place
  readonly seed: number
  readonly serverUrl: string
}

const chatsAtOnce = 24
/** How long chats may go on after the last disturbance: a takeover, and a whole answer twice. */
const patienceMs = 90_000

async function disturbCase(disturbance: Disturbance, { place, seed, serverUrl }: Case): Promise<Tally> {
  await using database = await freshDatabase(serverUrl)
  // Creates the tables.
  await (await openPostgresStore(database.url)).close()
  await using witness = await witnessDatabase(database.url)
  const effectsFile = `${place.folder}/${seed}.effects`
  await using cluster = await NodeCluster.start({
    pool: place.pool,
    name: `node-${seed}`,
    size: disturbance.nodes,
    databaseUrl: database.url,
    effectsFile,
  })
  const chats = new NodeChats({ cluster, seed, atOnce: chatsAtOnce })
  const random = seededRandom(seed)
  await disturbance.disturb(cluster, random, disturbance.perCase)
  const unfinished = await chats.finish(patienceMs)
  cluster.assertAlive()
  const checked = await checkChats(chats, cluster, random)
  const found = await checkCluster({ deaths: cluster.deaths, witness, effectsFile, unfinished })
  return addTallies([checked, found])
}

/** Compares every chat with what is known about it. Each is read from another node. */
async function checkChats(chats: NodeChats, cluster: NodeCluster, random: SeededRandom): Promise<Tally> {
  const tallies: Tally[] = []
  for (const chat of chats.all) {
    const { client, url } = cluster.anyNode(random)
    const tally = await checkChat(chat, { client, url, patienceMs: 0 })
    if (tally === undefined) throw new Error(`Chat ${chat.id} cannot be read: its node does not respond.`)
    tallies.push(tally)
  }
  return addTallies(tallies)
}
