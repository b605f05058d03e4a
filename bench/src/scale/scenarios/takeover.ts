import { follow, logName } from '@throughline/log'
import { isChatId, isEndChunk, isOwnerId } from '@throughline/protocol'
import type { Store } from '@throughline/store'
import { openPostgresStore } from '@throughline/store/testing'
import { idOf } from '@throughline/testing/log/id-of'
import { freshDatabase } from '@throughline/testing/postgres/fresh-database'
import type { Child } from '../../child.ts'
import type { AnswerPlan } from '../../load/answer-plan.ts'
import { now, until } from '../../load/clock.ts'
import { exactlyOnceRow, figureRow } from '../../load/figure-row.ts'
import { Latencies } from '../../load/latencies.ts'
import { graceMs } from '../../load/measure-flow.ts'
import { createChat, followLog, sendMessage } from '../../load/viewers/viewer-request.ts'
import { startViewers, type Viewers } from '../../load/viewers/viewers.ts'
import type { Section } from '../../report.ts'
import { startNode } from '../start-node.ts'

interface TakeoverOptions {
  readonly serverUrl: string
  readonly kills: number
  /** How many runs each killed node has. */
  readonly runs: number
}

interface TakeoverFigures {
  readonly kills: number
  readonly runs: number
  /** From the kill to the moment when the log says that a run goes on, or has ended. One for each run. */
  readonly takenMs: readonly number[]
  /** How many runs went on. The others were ended. */
  readonly continued: number
  readonly lost: number
  readonly doubled: number
  readonly late: number
}

/** After this time, a run counts as never taken over. */
const maxMs = 60_000
/** A node beats every 3 seconds. The kill may come at any moment between two beats. */
const beatMs = 3_000

/** Kills nodes in the middle of their runs, and measures when other nodes have taken these over. */
export async function measureTakeover({ serverUrl, kills, runs }: TakeoverOptions) {
  await using database = await freshDatabase(serverUrl)
  await using opened = new AsyncDisposableStack()
  const start = async () => opened.use(await startNode(database.url))
  const store = opened.adopt(await openPostgresStore(database.url), each => each.close())
  const nodes = [await start(), await start(), await start()]
  await using viewers = await startViewers(runs)
  const deaths: Death[] = []
  for (let kill = 0; kill < kills; kill += 1) {
    const [victim, witness] = [nodes.shift(), nodes[0]]
    if (victim === undefined || witness === undefined) throw new RangeError('There are too few nodes.')
    const chatIds = Array.from({ length: runs }, (_, run) => `chat-${kill}-${run}`)
    deaths.push(await killOne({ victim, witness, viewers, store }, chatIds))
    nodes.push(await start())
  }
  const figures = figuresOf(deaths, runs)
  return { figures, section: sectionOf(figures) }
}

interface Scene {
  readonly victim: Child
  /** The node of the viewers. */
  readonly witness: Child
  readonly viewers: Viewers
  /** Looks at the logs. It is no node: it takes over no runs. */
  readonly store: Store
}

/** What became of the runs of one killed node. */
interface Death extends Pick<TakeoverFigures, 'lost' | 'doubled' | 'late'> {
  readonly taken: readonly Taken[]
}

async function killOne(
  { victim, witness, viewers, store }: Scene,
  chatIds: readonly string[],
): Promise<Death> {
  // Ten seconds of text. The kill comes after one to four seconds.
  const plan: AnswerPlan = { from: '1970', startMs: now(), intervalMs: 50, deltas: 200, chars: 12 }
  await viewers.request(victim.url, chatIds.map(createChat))
  await viewers.open(
    witness.url,
    chatIds.map(chatId => followLog(chatId, plan)),
  )
  await viewers.request(
    victim.url,
    chatIds.map(chatId => sendMessage(chatId, plan)),
  )
  await until(now() + 1_000 + Math.random() * beatMs)
  const watches = await Promise.all(chatIds.map(chatId => watchLog(store, chatId)))
  const killedAt = now()
  await victim.kill()
  const taken = await Promise.all(watches.map(watch => watch(killedAt)))
  const { lost, doubled, missing: late } = await viewers.finish(now() + graceMs)
  await viewers.leave()
  return { taken, lost, doubled, late }
}

interface Taken {
  readonly how: 'continued' | 'ended' | 'never'
  readonly ms: number
}

/** Notes where a log ends. Returns a function that waits until another node has written how the run goes on. */
async function watchLog(store: Store, chatId: string): Promise<(killedAt: number) => Promise<Taken>> {
  const log = logName({ ownerId: idOf(isOwnerId, 'local'), chatId: idOf(isChatId, chatId) })
  const after = await store.log.open(log)
  return async killedAt => {
    for await (const page of follow(store.log, log, { after, signal: AbortSignal.timeout(maxMs) }))
      for (const { chunk } of page) {
        const ms = now() - killedAt
        if (chunk.type === 'data-continued') return { how: 'continued', ms }
        if (isEndChunk(chunk)) return { how: 'ended', ms }
      }
    return { how: 'never', ms: maxMs }
  }
}

function figuresOf(deaths: readonly Death[], runs: number): TakeoverFigures {
  const taken = deaths.flatMap(death => death.taken)
  const sum = (key: 'lost' | 'doubled' | 'late') => deaths.reduce((total, death) => total + death[key], 0)
  return {
    ...{ kills: deaths.length, runs },
    takenMs: taken.map(({ ms }) => ms),
    continued: taken.filter(({ how }) => how === 'continued').length,
    ...{ lost: sum('lost'), doubled: sum('doubled'), late: sum('late') },
  }
}

function sectionOf(figures: TakeoverFigures): Section {
  const { kills, runs, takenMs, continued } = figures
  const times = new Latencies()
  for (const ms of takenMs) times.add(ms)
  const second = { unit: 's' } as const
  return {
    title: `Scale, takeover: ${kills} of three nodes killed, with ${runs} runs each`,
    notes: [
      'One of three nodes is killed (SIGKILL) while it writes answers, again and again; a new one comes after each. A run is',
      'taken over when its log says that it goes on, or that it has ended. The viewers are on another node. They must get',
      'every delta once: those from before the kill, and those that the next node writes.',
    ],
    columns: { ours: 'ours', other: '', result: 'figure' },
    measurements: [
      figureRow('kill to takeover, p50', times.percentile(0.5) / 1_000, second),
      figureRow('kill to takeover, longest', Math.max(...takenMs) / 1_000, {
        ...second,
        goal: { atMost: 20 },
      }),
      figureRow('runs that did not go on', takenMs.length - continued, { unit: 'runs', goal: { atMost: 0 } }),
      exactlyOnceRow(figures),
    ],
  }
}
