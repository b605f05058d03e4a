import { setTimeout as pause } from 'node:timers/promises'
import { type SeededRandom, seededRandom } from '@throughline/agents/testing'
import { startWebhookReceiver, type WebhookReceiver } from '@throughline/testing/channels/webhook-receiver'
import { witnessDatabase } from '@throughline/testing/nodes/database-witness'
import { ChannelTalks } from '../../nodes/channel-talks.ts'
import { checkCluster } from '../../nodes/check-cluster.ts'
import { checkConversations } from '../../nodes/check-conversations.ts'
import { checkTalk, wordsPostedAgain } from '../../nodes/check-talk.ts'
import { NodeChats } from '../../nodes/node-chats.ts'
import { NodeCluster } from '../../nodes/node-cluster.ts'
import { untilIdle } from '../../nodes/until-idle.ts'
import type { NodeStore } from '../../server/server-messages.ts'
import type { CheckOptions } from '../check-chat.ts'
import type { Place, Scenario } from '../scenario.ts'
import { addTallies, emptyTally, type Tally } from '../tally.ts'

/** One way to disturb the database of a cluster. */
export interface DatabaseDisturbance extends Pick<Scenario, 'name' | 'unit'> {
  /** How many cases may run at the same time. */
  readonly lanes: number
  /** How often the database of a case is disturbed. */
  readonly perCase: number
  /** Prepares what all cases share. */
  open(place: Place): Promise<DatabaseSource>
}

/** Makes a database for each case. */
export interface DatabaseSource extends AsyncDisposable {
  create(random: SeededRandom, seed: number): Promise<DisturbedDatabase>
}

/** The database of one case. */
export interface DisturbedDatabase extends AsyncDisposable, Pick<CheckOptions, 'mustWork'> {
  /** Returns where a node finds the database. */
  readonly storeOf: (node: number) => NodeStore
  /** Where the witness finds it. Before and after the disturbances. */
  readonly url: string
  /** Whether it may lose what it has acknowledged. */
  readonly mayLose: boolean
  /** Disturbs the database once. Resolves when it works again. Returns what was done, in words. */
  disturb(cluster: NodeCluster): Promise<string>
}

/**
 * Nodes write many answers, with tools, sub-agents and a channel, while their database is disturbed. What viewers were shown,
 * what tools did and what the channel posted is compared with the database in the end.
 */
export function databaseScenario(disturbance: DatabaseDisturbance): Scenario {
  const { name, unit, lanes } = disturbance
  return {
    name,
    unit,
    async open(place) {
      const source = await disturbance.open(place)
      return {
        lanes,
        run: seed => databaseCase(disturbance, source, { place, seed }),
        [Symbol.asyncDispose]: () => source[Symbol.asyncDispose](),
      }
    },
  }
}

interface Case {
  readonly place: Place
  readonly seed: number
}

/** How many nodes each case has. They are numbered from 1 on. */
export const nodeCount = 3
const chatsAtOnce = 8
const talksAtOnce = 2
const words = [20, 80] as const
/**
 * How long chats may go on after the last disturbance: a takeover, and a whole answer twice. On a busy machine nodes count as
 * dead that are only slow, and then answers go on one at a time.
 */
const patienceMs = 240_000
/** A disturbance that takes longer may end answers: they wait that long. A machine that is too busy makes such a one. */
const maxDisturbanceMs = 30_000

async function databaseCase(
  { name, perCase }: DatabaseDisturbance,
  source: DatabaseSource,
  { place, seed }: Case,
): Promise<Tally> {
  const random = seededRandom(seed)
  await using database = await source.create(random, seed)
  await using witness = await witnessDatabase(database.url)
  await using receiver = await startWebhookReceiver()
  const effectsFile = `${place.folder}/${seed}.effects`
  const { storeOf, mayLose } = database
  await using cluster = await NodeCluster.start({
    pool: place.pool,
    name: `${name}-${seed}`,
    size: nodeCount,
    storeOf,
    effectsFile,
    hookUrl: receiver.url,
  })
  const chats = new NodeChats({ cluster, seed, atOnce: chatsAtOnce, words, mayLose })
  const talks = new ChannelTalks({ cluster, receiver, seed, atOnce: talksAtOnce, words })
  const { done, longestMs } = await disturbOften(database, { cluster, random, count: perCase })
  const isTooSlow = longestMs > maxDisturbanceMs
  const [unfinished] = await Promise.all([chats.finish(patienceMs), talks.finish(patienceMs)])
  cluster.assertAlive()
  for (const { viewers } of chats.all) await Promise.all(viewers.map(viewer => viewer.comeBack()))
  const knownCalls = new Set<string>()
  const onLog = (log: string) => {
    for (const [, id = ''] of log.matchAll(/"toolCallId":"([^"]+)"/g)) knownCalls.add(id)
  }
  const mustWork = isTooSlow ? undefined : database.mustWork
  const checked = await checkConversations(chats.all, { cluster, random, mayLose, mustWork, onLog })
  const facts = { deaths: cluster.deaths, witness, effectsFile, unfinished }
  const found = await checkCluster(mayLose ? { ...facts, knownCalls } : facts)
  if (isTooSlow) {
    const notes = { 'cases not counted, because a disturbance took too long': 1 }
    return addTallies([checked, { ...found, done: 0 }, { ...emptyTally, notes }])
  }
  const posted = await checkTalks(talks, { cluster, receiver, random, mayLose })
  return addTallies([done, checked, { ...found, done: 0 }, posted])
}

interface Stage {
  readonly cluster: NodeCluster
  readonly random: SeededRandom
  readonly count: number
}

interface Disturbed {
  readonly done: Tally
  /** How long the longest disturbance took. */
  readonly longestMs: number
}

async function disturbOften(
  database: DisturbedDatabase,
  { cluster, random, count }: Stage,
): Promise<Disturbed> {
  const tallies: Tally[] = []
  let longestMs = 0
  while (tallies.length < count) {
    await pause(500 + random.below(2_500))
    cluster.assertAlive()
    const began = performance.now()
    const what = await database.disturb(cluster)
    longestMs = Math.max(longestMs, performance.now() - began)
    tallies.push({ ...emptyTally, done: 1, notes: { [what]: 1 } })
  }
  return { done: addTallies(tallies), longestMs }
}

interface TalksFacts {
  readonly cluster: NodeCluster
  readonly receiver: WebhookReceiver
  readonly random: SeededRandom
  readonly mayLose: boolean
}

/** C6: everything that answers say was posted, in order and once. */
async function checkTalks(
  talks: ChannelTalks,
  { cluster, receiver, random, mayLose }: TalksFacts,
): Promise<Tally> {
  const { shown } = receiver
  const tallies: Tally[] = []
  for (const talk of talks.all) {
    const node = () => cluster.anyNode(random)
    const messages = mayLose
      ? await untilIdle(talk.chatId, { node, until: Date.now() + patienceMs })
      : undefined
    // The database has lost what was asked.
    if (messages !== undefined && !messages.some(({ role }) => role === 'user')) continue
    const again = wordsPostedAgain({ talk, shown })
    const violations = checkTalk({ talk, shown, mayLose })
    const notes = { talks: 1, ...(again === 0 ? {} : { 'words posted again': again }) }
    tallies.push({ ...emptyTally, notes, violations })
  }
  return addTallies(tallies)
}
