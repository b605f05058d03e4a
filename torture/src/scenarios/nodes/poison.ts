import { setTimeout as pause } from 'node:timers/promises'
import { type SeededRandom, seededRandom } from '@throughline/agents/testing'
import { isRecord } from '@throughline/protocol'
import type { Violation } from '@throughline/protocol/history'
import { checkCluster } from '../../nodes/check-cluster.ts'
import { checkConversations } from '../../nodes/check-conversations.ts'
import { type Conversation, NodeChats } from '../../nodes/node-chats.ts'
import type { NodeCluster } from '../../nodes/node-cluster.ts'
import { NodeViewer } from '../../nodes/node-viewer.ts'
import { untilIdle } from '../../nodes/until-idle.ts'
import type { Dying } from '../../server/order.ts'
import type { Scenario } from '../scenario.ts'
import { addTallies, emptyTally, type Tally } from '../tally.ts'
import { TorturedChat } from '../tortured-chat.ts'
import { type ClusterCase, clusterScenario } from './cluster-scenario.ts'

/** How many answers of a case kill their nodes, one after the other. */
const perCase = 2
const healthyAtOnce = 8
/** A deadly answer is ended after three deaths, or after four if others were on its nodes. */
const mostDeaths = 4
/** How long a deadly answer may go on: each death is noticed after 15 seconds. */
const poisonMs = 240_000
/** How long the others may go on after that: those that were suspected go on one at a time. */
const patienceMs = 240_000

/** An answer kills its node whenever it goes on, among others. Nodes that die are started again. */
export const poison: Scenario = clusterScenario({
  name: 'poison',
  unit: 'poisons',
  nodes: () => ({ size: 3, isSupervised: true }),
  run: poisonCase,
})

async function poisonCase({ cluster, witness, effectsFile, seed }: ClusterCase): Promise<Tally> {
  const random = seededRandom(seed)
  const chats = new NodeChats({ cluster, seed, atOnce: healthyAtOnce, words: [20, 80], mayLose: false })
  const tallies: Tally[] = []
  for (let number = 1; number <= perCase; number += 1) {
    await pause(random.below(6_000))
    const deadly = new TorturedChat(`poison-${seed}-${number}`)
    tallies.push(await takePoison(deadly, { cluster, random }))
  }
  const unfinished = await chats.finish(patienceMs)
  cluster.assertAlive()
  const mustWork = 'answers'
  tallies.push(await checkConversations(chats.all, { cluster, random, mayLose: false, mustWork }))
  const found = await checkCluster({ deaths: cluster.deaths, witness, effectsFile, unfinished })
  return addTallies([...tallies, { ...found, done: 0 }])
}

interface Poisoning {
  readonly cluster: NodeCluster
  readonly random: SeededRandom
}

/** Asks for an answer that kills its node, and waits until it is ended. */
async function takePoison(chat: TorturedChat, { cluster, random }: Poisoning): Promise<Tally> {
  const before = cluster.deaths.length
  const dies = dyingFrom(random)
  const order = { words: 1 + random.below(30), padding: 0, pauseMs: 50, hasTool: true, dies }
  const letter = {
    messageId: `${chat.id}-1`,
    agent: 'master',
    order,
    said: undefined,
    onBusy: 'queue',
  } as const
  const position = await sent(() => chat.send(cluster.anyNode(random).client, letter))
  const viewer = new NodeViewer({ cluster, chatId: chat.id, after: position, random })
  const watching = viewer.watch()
  const until = Date.now() + poisonMs
  const messages = await untilIdle(chat.id, { node: () => cluster.anyNode(random), until })
  viewer.leave()
  await watching
  const deaths = cluster.deaths.length - before
  const answer = messages?.find(({ metadata }) => metadata?.agent?.name === 'master')
  const { status, statusText = '' } = answer?.metadata ?? {}
  const violations: Violation[] = []
  const blame = (detail: string) =>
    violations.push({ kind: 'other', invariant: 'D10', chatId: chat.id, detail })
  if (status !== 'interrupted' || !/server died [34] times/.test(statusText))
    blame(`After ${deaths} deaths the answer is ${status}: ${statusText}`)
  if (deaths > mostDeaths) blame(`${deaths} nodes died, and ${mostDeaths} may.`)
  if (!(await isNamed(chat.id, { cluster, random }))) blame('The operator is not told which answer it was.')
  const conversation: Conversation = { chat, viewers: [viewer] }
  const checked = await checkConversations([conversation], { cluster, random, mayLose: false })
  const notes = { [`${dies.how}${dies.isInHelper ? ' in a sub-agent' : ''}`]: 1, 'node deaths': deaths }
  return addTallies([checked, { ...emptyTally, done: 1, notes, violations }])
}

async function sent(send: () => ReturnType<TorturedChat['send']>): Promise<string> {
  for (;;) {
    const { run } = await send()
    if (run !== undefined) return run.position
    await pause(200)
  }
}

function dyingFrom(random: SeededRandom): Dying {
  return {
    how: random.pick(['kill', 'abort', 'exit', 'throw']),
    afterMs: random.next() < 0.5 ? 0 : random.below(4_000),
    isInHelper: random.next() < 0.4,
  }
}

/**
 * Whether the status of the server names a chat among those whose answers killed their nodes. It does a moment after the end
 * of the answer.
 */
async function isNamed(chatId: string, { cluster, random }: Poisoning): Promise<boolean> {
  for (let attempt = 0; attempt < 50; attempt += 1) {
    const reply = await cluster.anyNode(random).client.get('/api/status')
    const body: unknown = reply.type === 'response' && reply.status === 200 ? JSON.parse(reply.body) : {}
    const operator = isRecord(body) && isRecord(body['operator']) ? body['operator'] : {}
    const deadly: unknown = operator['deadlyRuns']
    if (Array.isArray(deadly) && deadly.some(run => isRecord(run) && run['chatId'] === chatId)) return true
    await pause(200)
  }
  return false
}
