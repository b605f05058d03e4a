import { setTimeout as pause } from 'node:timers/promises'
import { type SeededRandom, seededRandom } from '@throughline/agents/testing'
import { checkCluster } from '../../nodes/check-cluster.ts'
import { checkConversations } from '../../nodes/check-conversations.ts'
import { NodeChats } from '../../nodes/node-chats.ts'
import type { NodeCluster } from '../../nodes/node-cluster.ts'
import { probeClocks } from '../../nodes/probe-clocks.ts'
import type { Scenario } from '../scenario.ts'
import { addTallies, type Tally } from '../tally.ts'
import { type ClusterCase, clusterScenario } from './cluster-scenario.ts'

/** So often clocks are set in a case. */
const perCase = 20
const chatsAtOnce = 10
/** How long chats may go on after the last disturbance: a takeover, and a whole answer twice. */
const patienceMs = 90_000

/** Nodes whose clocks are wrong by up to an hour, and jump while they work. Some are killed. */
export const skew: Scenario = clusterScenario({
  name: 'skew',
  unit: 'skews',
  nodes: random => ({ size: 3, skewOf: () => skewFrom(random) }),
  run: skewCase,
})

async function skewCase({ cluster, witness, effectsFile, seed }: ClusterCase): Promise<Tally> {
  const random = seededRandom(seed)
  const chats = new NodeChats({ cluster, seed, atOnce: chatsAtOnce, words: [30, 120], mayLose: false })
  let isOver = false
  const probeRandom = seededRandom(seed + 1)
  const probe = probeClocks({ cluster, random: probeRandom, name: `used-${seed}`, isOver: () => isOver })
  // Reported below.
  probe.catch(() => undefined)
  await setClocks(cluster, random)
  isOver = true
  const [unfinished, probed] = await Promise.all([chats.finish(patienceMs), probe])
  cluster.assertAlive()
  const mustWork = 'answers'
  const checked = await checkConversations(chats.all, { cluster, random, mayLose: false, mustWork })
  const { deaths } = cluster
  const found = await checkCluster({ deaths, witness, effectsFile, unfinished })
  const notes = { ...found.notes, 'node kills': deaths.length }
  return addTallies([probed, checked, { ...found, done: perCase, notes }])
}

async function setClocks(cluster: NodeCluster, random: SeededRandom): Promise<void> {
  for (let set = 0; set < perCase; set += 1) {
    await pause(500 + random.below(3_000))
    cluster.assertAlive()
    cluster.setClockOfOne(random, skewFrom(random))
    if (random.next() < 0.3) await cluster.killOne(random)
  }
}

const minuteMs = 60_000

/** Some clocks are right, some wrong by seconds, and most by minutes up to an hour. */
function skewFrom(random: SeededRandom): number {
  const mostMs = random.pick([0, 20_000, 5 * minuteMs, 60 * minuteMs, 60 * minuteMs])
  return Math.round((random.next() * 2 - 1) * mostMs)
}
