import { freshDatabase } from '@throughline/testing/postgres/fresh-database'
import { z } from 'zod'
import { startChild } from '../../child.ts'
import { figureRow } from '../../load/figure-row.ts'
import { Latencies } from '../../load/latencies.ts'
import { type MedianRound, QuietRounds } from '../../load/quiet-rounds.ts'
import type { Section } from '../../report.ts'
import { measureNodesFlow, type NodesFigures } from '../measure-nodes-flow.ts'

interface BellOptions {
  readonly serverUrl: string
  readonly seconds: number
  /** How many rounds on quiet cores count. The median is reported. */
  readonly rounds: number
}

/** Times between two processes that share a database, in milliseconds. */
interface BellFigures {
  readonly entries: number
  /** From the moment when the writer knows of the commit to the moment when the follower has the entry. */
  readonly p50Ms: number
  readonly p99Ms: number
  /** From the beginning of the append. */
  readonly fromAppendP50Ms: number
  readonly fromAppendP99Ms: number
}

const everyMs = 20
const writtenTimes = z.array(z.tuple([z.number(), z.number()]))
const cameTimes = z.array(z.number())

/** Measures how long it takes until a follower in another process has what was committed, while nothing else happens. */
export async function measureBell({ serverUrl, seconds, rounds }: BellOptions) {
  const quiet = new QuietRounds()
  const bell = await quiet.median(rounds, () => ringOnce(serverUrl, seconds))
  const flow = { runs: 1, perSecond: 20, chars: 12, seconds }
  const own = await quiet.median(rounds, () => measureNodesFlow({ serverUrl, nodes: 1 }, flow))
  const other = await quiet.median(rounds, () => measureNodesFlow({ serverUrl, nodes: 2 }, flow))
  const figures = { bell, sockets: { own, other } }
  return { figures, section: sectionOf(figures) }
}

async function ringOnce(serverUrl: string, seconds: number): Promise<BellFigures> {
  await using database = await freshDatabase(serverUrl)
  const env = { DATABASE_URL: database.url }
  await using writer = await startChild('./scale/servers/bell-process.ts', [], env)
  await using follower = await startChild('./scale/servers/bell-process.ts', [], env)
  await follower.ask('follow')
  const warmUp = 50
  const count = Math.round((seconds * 1_000) / everyMs)
  const written = writtenTimes.parse(await writer.ask('write', { count: warmUp + count, everyMs }))
  const came = cameTimes.parse(await follower.ask('came', warmUp + count))
  const fromCommit = new Latencies()
  const fromAppend = new Latencies()
  for (const [index, [begunAt, committedAt]] of written.entries()) {
    if (index < warmUp) continue
    const at = came[index] ?? Number.NaN
    fromCommit.add(at - committedAt)
    fromAppend.add(at - begunAt)
  }
  return {
    entries: count,
    p50Ms: fromCommit.percentile(0.5),
    p99Ms: fromCommit.percentile(0.99),
    fromAppendP50Ms: fromAppend.percentile(0.5),
    fromAppendP99Ms: fromAppend.percentile(0.99),
  }
}

interface AllFigures {
  readonly bell: MedianRound<BellFigures>
  /** One run, whose viewer is on the node of the run, or on the other one. */
  readonly sockets: { readonly own: MedianRound<NodesFigures>; readonly other: MedianRound<NodesFigures> }
}

function sectionOf({ bell, sockets }: AllFigures): Section {
  const { entries, p50Ms, p99Ms, fromAppendP50Ms, fromAppendP99Ms } = bell.figures
  const [own, other] = [sockets.own.figures, sockets.other.figures]
  const ms = (value: number) => `${value.toFixed(1)} ms`
  return {
    title: 'Scale, bell: from a commit to a viewer on another node, without other load',
    notes: [
      `One process appends ${entries.toLocaleString('en')} entries, one every ${everyMs} ms. Another process with its own store follows`,
      'the log. A time ends when the follower has the entry. It begins when the writer knows that the entry is committed, or',
      'when the append begins. Below that: two real servers, one run x 20/s, and a viewer by HTTP. These times begin when a',
      `delta is due. Measured on quiet cores (${bell.rounds.counted} of ${bell.rounds.measured} rounds counted), as \`load\` does; the median round is shown.`,
    ],
    columns: { ours: 'on another node', other: 'on the same node', result: 'figure' },
    measurements: [
      figureRow('commit to follower, p50', p50Ms, { unit: 'ms', goal: { atMost: 5 } }),
      figureRow('commit to follower, p99', p99Ms, { unit: 'ms', goal: { atMost: 20 } }),
      figureRow('append to follower, p50', fromAppendP50Ms, { unit: 'ms' }),
      figureRow('append to follower, p99', fromAppendP99Ms, { unit: 'ms' }),
      figureRow('due to socket, p50', other.p50Ms, { unit: 'ms', other: ms(own.p50Ms) }),
      figureRow('due to socket, p99', other.p99Ms, { unit: 'ms', other: ms(own.p99Ms) }),
    ],
  }
}
