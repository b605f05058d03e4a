import { mkdir } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { type SeededRandom, seededRandom } from '@throughline/agents/testing'
import type { Violation } from '@throughline/protocol/history'
import {
  type ReceivedBlock,
  startWebhookReceiver,
  type WebhookReceiver,
} from '@throughline/testing/channels/webhook-receiver'
import { type DatabaseWitness, witnessDatabase } from '@throughline/testing/nodes/database-witness'
import { executeOn } from '@throughline/testing/postgres/postgres-machine'
import { ChannelTalks } from '../../nodes/channel-talks.ts'
import { checkCluster, staleAppends } from '../../nodes/check-cluster.ts'
import { checkConversations } from '../../nodes/check-conversations.ts'
import { type ChannelTalk, checkTalk, isWholeIn, wordsIn, wordsPostedAgain } from '../../nodes/check-talk.ts'
import { type Conversation, NodeChats } from '../../nodes/node-chats.ts'
import { NodeCluster } from '../../nodes/node-cluster.ts'
import { untilIdle } from '../../nodes/until-idle.ts'
import { type PreparedPostgres, preparePostgres } from '../database/prepared-postgres.ts'
import type { Place, Scenario } from '../scenario.ts'
import { addTallies, emptyTally, type Tally } from '../tally.ts'
import type { TorturedChat } from '../tortured-chat.ts'
import type { RestoredData } from './restored-data.ts'
import { type FolderBackup, restoredFolder } from './restored-folder.ts'
import { type PostgresBackup, restoredPostgres } from './restored-postgres.ts'

/** In turn, by the seed. */
const kinds: readonly (
  | { readonly type: 'folder'; readonly backup: FolderBackup }
  | { readonly type: 'postgres'; readonly backup: PostgresBackup }
)[] = [
  { type: 'postgres', backup: 'dump' },
  { type: 'folder', backup: 'command' },
  { type: 'postgres', backup: 'renewed copy' },
  { type: 'folder', backup: 'copy' },
  { type: 'postgres', backup: 'template' },
  { type: 'folder', backup: 'command' },
  { type: 'postgres', backup: 'promoted copy' },
  { type: 'folder', backup: 'copy' },
  { type: 'postgres', backup: 'refill' },
]

/**
 * A backup is made while chats go on, and restored after more was written and shown. Others write new messages, and viewers
 * come back with the positions that they had.
 */
export const restore: Scenario = {
  name: 'restore',
  unit: 'restores',
  async open(place) {
    let prepared: Promise<PreparedPostgres> | undefined
    const prepare = () => {
      prepared ??= preparePostgres()
      return prepared
    }
    return {
      lanes: 2,
      run: seed => restoreCase({ place, seed, prepare }),
      async [Symbol.asyncDispose]() {
        await (await prepared)?.[Symbol.asyncDispose]()
      },
    }
  },
}

interface Case {
  readonly place: Place
  readonly seed: number
  /** Makes what the cases on Postgres share. */
  readonly prepare: () => Promise<PreparedPostgres>
}

const chatsAtOnce = 6
const talksAtOnce = 2
const words = [20, 60] as const
/**
 * How long everything may go on in the end. On a busy machine nodes count as dead that are only slow, and then answers go on one
 * at a time.
 */
const patienceMs = 240_000

async function restoreCase({ place, seed, prepare }: Case): Promise<Tally> {
  const random = seededRandom(seed)
  await using data = await dataOf({ place, seed, prepare }, random)
  await using receiver = await startWebhookReceiver()
  await using witnesses = new Witnesses(data)
  await witnesses.watch()
  const effectsFile = `${place.folder}/${seed}.effects`
  const { nodes: size, storeOf } = data
  const name = `restore-${seed}`
  const options = { pool: place.pool, name, size, storeOf, effectsFile, hookUrl: receiver.url }
  await using cluster = await NodeCluster.start(options)
  const chats = new NodeChats({ cluster, seed, atOnce: chatsAtOnce, words, mayLose: true })
  const talks = new ChannelTalks({ cluster, receiver, seed, atOnce: talksAtOnce, words })
  const stage = { data, cluster, chats, receiver, witnesses, random }
  const { done, postedBefore } = await backUpAndRestore(stage)
  const [unfinished] = await Promise.all([chats.finish(patienceMs), talks.finish(patienceMs)])
  cluster.assertAlive()
  for (const { viewers } of chats.all) await Promise.all(viewers.map(viewer => viewer.comeBack()))
  const knownCalls = new Set<string>()
  const onLog = (log: string) => {
    for (const [, id = ''] of log.matchAll(/"toolCallId":"([^"]+)"/g)) knownCalls.add(id)
  }
  const mustWork = 'answers'
  const checking = { cluster, random, mayLose: true, mustWork, patienceMs, onLog } as const
  const checked = await checkConversations(chats.all, checking)
  const posted = await checkTalks(talks, { cluster, receiver, random, postedBefore })
  const facts = { deaths: [], witness: witnesses.current, effectsFile, unfinished, knownCalls }
  const found = await checkCluster(facts)
  const notes = { [data.kind]: done }
  const violations = [...witnesses.violations]
  return addTallies([checked, posted, found, { ...emptyTally, done, notes, violations }])
}

async function dataOf({ place, seed, prepare }: Case, random: SeededRandom): Promise<RestoredData> {
  const kind = kinds[seed % kinds.length] ?? { type: 'folder', backup: 'command' }
  if (kind.type === 'postgres')
    return restoredPostgres({
      prepared: await prepare(),
      backup: kind.backup,
      random,
      name: `restore-${seed}`,
    })
  const folder = `${place.folder}/${seed}`
  await mkdir(folder, { recursive: true })
  return restoredFolder({ folder, backup: kind.backup, random })
}

interface Stage {
  readonly data: RestoredData
  readonly cluster: NodeCluster
  readonly chats: NodeChats
  readonly receiver: WebhookReceiver
  readonly witnesses: Witnesses
  readonly random: SeededRandom
}

/** A node that has posted a block has saved that after this time, even on a busy machine. */
const savedAfterMs = 1_500

/** Makes a backup once, and restores it one to three times. Returns how many blocks were posted before the backup. */
async function backUpAndRestore(stage: Stage): Promise<{ done: number; postedBefore: number }> {
  const { data, cluster, chats, receiver, witnesses, random } = stage
  await pause(4_000 + random.below(6_000))
  const postedBefore = receiver.shown.length
  await pause(savedAfterMs)
  await data.backUp(cluster)
  const count = 1 + random.below(3)
  for (let done = 0; done < count; done += 1) {
    await pause(1_000 + random.below(7_000))
    cluster.assertAlive()
    const before = [...chats.all]
    await cluster.killAll()
    await witnesses.close()
    await data.restore()
    await witnesses.watch()
    await cluster.startAgain()
    await Promise.all(pickSome(before, random).map(({ chat }) => writeNew(chat, { cluster, random })))
  }
  return { done: count, postedBefore }
}

/** Returns at most eight, those that began last more often than others. */
function pickSome(conversations: readonly Conversation[], random: SeededRandom): readonly Conversation[] {
  return conversations.filter((_, index) => random.next() < 4 / (conversations.length - index)).slice(-8)
}

/** Somebody else writes to a chat that has lost what was said last, or is gone. */
async function writeNew(
  chat: TorturedChat,
  { cluster, random }: Pick<Stage, 'cluster' | 'random'>,
): Promise<void> {
  const order = { words: 10 + random.below(40), padding: 0, pauseMs: 20, hasTool: false }
  const messageId = `${chat.id}-new-${random.below(2 ** 32)}`
  const letter = { messageId, agent: 'master', order, onBusy: 'queue' } as const
  const until = Date.now() + patienceMs
  while ((await chat.send(cluster.anyNode(random).client, letter)).run === undefined) {
    if (Date.now() > until) throw new Error(`Message ${messageId} was never accepted.`)
    await pause(100)
  }
}

interface TalksFacts extends Pick<Stage, 'cluster' | 'receiver' | 'random'> {
  readonly postedBefore: number
}

/**
 * C6: everything that answers say was posted, in order. What was posted before the backup is not posted again, what came
 * later may be.
 */
async function checkTalks(
  talks: ChannelTalks,
  { cluster, receiver, random, postedBefore }: TalksFacts,
): Promise<Tally> {
  const tallies: Tally[] = []
  const until = Date.now() + patienceMs
  for (const talk of talks.all) {
    const messages = await untilIdle(talk.chatId, { node: () => cluster.anyNode(random), until })
    if (messages?.length === 0) continue
    while (!isWholeIn(receiver.shown, talk) && Date.now() < until) await pause(200)
    const { shown } = receiver
    const facts = { talk, shown, mayLose: true }
    const violations = [...checkTalk(facts), ...checkPostedOnce(talk, { shown, postedBefore })]
    const again = wordsPostedAgain(facts)
    const notes = { talks: 1, ...(again === 0 ? {} : { 'words posted again': again }) }
    tallies.push({ ...emptyTally, notes, violations })
  }
  return addTallies(tallies)
}

interface Posts {
  readonly shown: readonly ReceivedBlock[]
  readonly postedBefore: number
}

function checkPostedOnce(talk: ChannelTalk, { shown, postedBefore }: Posts): readonly Violation[] {
  const before = new Set(wordsIn(shown.slice(0, postedBefore), talk.id))
  const again = wordsIn(shown.slice(postedBefore), talk.id).filter(word => before.has(word))
  if (again.length === 0) return []
  const detail = `The words ${again.join(', ')} were posted before the backup, and again after it.`
  return [{ kind: 'doubled', invariant: 'C6', chatId: talk.chatId, detail }]
}

/** The witness of the database that the nodes use. A database that was restored gets a new one. */
class Witnesses implements AsyncDisposable {
  readonly #data: RestoredData
  readonly #violations: Violation[] = []
  #current: DatabaseWitness | undefined

  constructor(data: RestoredData) {
    this.#data = data
  }

  get current(): DatabaseWitness | undefined {
    return this.#current
  }

  /** What the witnesses of databases saw that are not used any more. */
  get violations(): readonly Violation[] {
    return this.#violations
  }

  /** Begins to watch. No node may work. */
  async watch(): Promise<void> {
    const url = this.#data.witnessUrl()
    if (url === undefined) return
    // The one before may have been restored, too.
    await executeOn({ url }, 'drop schema if exists witness cascade')
    this.#current = await witnessDatabase(url)
  }

  /** Ends watching. No node may work. */
  async close(): Promise<void> {
    if (this.#current === undefined) return
    this.#violations.push(...(await staleAppends(this.#current)))
    await this[Symbol.asyncDispose]()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#current?.[Symbol.asyncDispose]()
    this.#current = undefined
  }
}
