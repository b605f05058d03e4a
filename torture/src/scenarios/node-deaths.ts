import { setTimeout as pause } from 'node:timers/promises'
import { type SeededRandom, seededRandom } from '@throughline/agents/testing'
import { checkCluster } from '../nodes/check-cluster.ts'
import { checkConversations } from '../nodes/check-conversations.ts'
import { NodeChats } from '../nodes/node-chats.ts'
import type { NodeCluster } from '../nodes/node-cluster.ts'
import { type ClusterCase, clusterScenario } from './nodes/cluster-scenario.ts'
import type { Scenario } from './scenario.ts'
import { addTallies, type Tally } from './tally.ts'

/** How the nodes of a case are disturbed. Many times, because the chats take a minute to end after the last time. */
interface Disturbance extends Pick<Scenario, 'name' | 'unit'> {
  readonly nodes: number
  readonly perCase: number
  /** Disturbs nodes `count` times. Resolves when all nodes work again. */
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
  const { name, unit, nodes } = disturbance
  return clusterScenario({
    name,
    unit,
    nodes: () => ({ size: nodes }),
    run: opened => disturbCase(disturbance, opened),
  })
}

const chatsAtOnce = 24
/** How long chats may go on after the last disturbance: a takeover, and a whole answer twice. */
const patienceMs = 90_000

async function disturbCase(
  disturbance: Disturbance,
  { cluster, witness, effectsFile, seed }: ClusterCase,
): Promise<Tally> {
  const chats = new NodeChats({ cluster, seed, atOnce: chatsAtOnce, words: [50, 250], mayLose: false })
  const random = seededRandom(seed)
  await disturbance.disturb(cluster, random, disturbance.perCase)
  const unfinished = await chats.finish(patienceMs)
  cluster.assertAlive()
  const checked = await checkConversations(chats.all, { cluster, random, mayLose: false })
  const found = await checkCluster({ deaths: cluster.deaths, witness, effectsFile, unfinished })
  return addTallies([checked, found])
}
