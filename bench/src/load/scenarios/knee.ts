import { startChild } from '../../child.ts'
import type { Measurement, Section } from '../../report.ts'
import { figureRow } from '../figure-row.ts'
import { type FlowFigures, measureFlow } from '../measure-flow.ts'

/** How the server runs a model: see `agentFor` in the server's process. */
type ModelWay = 'streamText' | 'main' | 'thread'

const names: Readonly<Record<ModelWay, string>> = {
  streamText: 'every part through streamText',
  main: 'deltas past streamText',
  thread: 'the same, and models in a thread of their own',
}

interface KneeOptions {
  readonly ways: readonly ModelWay[]
  /** How many runs are tried, in steps of 50. */
  readonly from: number
  readonly to: number
  readonly seconds: number
}

/** Beyond this, a server carries too many runs. */
const maxP99Ms = 150
const stepRuns = 50
/** What others do on the machine only makes a p99 longer. So a number of runs is carried when one of this many tries shows it. */
const maxTries = 3

/** Measures how many runs with a model behind HTTP a server carries, for each way to run the model. */
export async function measureKnee({ ways, ...limits }: KneeOptions) {
  const figures: WayFigures[] = []
  for (const way of ways) figures.push({ way, tried: await increased(way, limits) })
  return { figures, section: sectionOf(figures) }
}

interface WayFigures {
  readonly way: ModelWay
  /** The best round of each number of runs that was tried. */
  readonly tried: readonly FlowFigures[]
}

/** Tries more and more runs, until the server does not carry them. */
async function increased(way: ModelWay, { from, to, seconds }: Omit<KneeOptions, 'ways'>) {
  const tried: FlowFigures[] = []
  for (let runs = from; runs <= to; runs += stepRuns) {
    const round = await bestRound(way, runs, seconds)
    tried.push(round)
    if (!isCarried(round)) break
  }
  return tried
}

async function bestRound(way: ModelWay, runs: number, seconds: number): Promise<FlowFigures> {
  let best = await measureRound(way, runs, seconds)
  for (let tries = 1; tries < maxTries && !isCarried(best); tries += 1) {
    const round = await measureRound(way, runs, seconds)
    if (round.p99Ms < best.p99Ms) best = round
  }
  return best
}

async function measureRound(way: ModelWay, runs: number, seconds: number): Promise<FlowFigures> {
  await using provider = await startChild('./load/servers/provider-process.ts')
  await using server = await startChild('./load/servers/server-process.ts', [provider.url, way])
  return await measureFlow({ server, sources: [provider] }, { runs, perSecond: 20, chars: 12, seconds })
}

function isCarried({ p99Ms, lost, doubled, late }: FlowFigures): boolean {
  return p99Ms <= maxP99Ms && lost + doubled + late === 0
}

function sectionOf(figures: readonly WayFigures[]): Section {
  const knees = figures.map(({ way, tried }) => ({ way, tried, knee: kneeOf(tried) }))
  const least = knees[0]?.knee ?? 0
  const rows = knees.flatMap(({ way, tried, knee }): readonly Measurement[] => [
    { ...figureRow(names[way], knee, { unit: 'runs' }), other: `${(knee / least).toFixed(1)}x` },
    ...tried.map(({ runs, p99Ms }) => figureRow(`    p99 with ${runs} runs`, p99Ms, { unit: 'ms' })),
  ])
  return {
    title: 'Load, knee: how many runs a server carries with a model behind HTTP',
    notes: [
      `Each run has 20 deltas/s. A server carries a number of runs when the p99 from due to socket is at most ${maxP99Ms} ms in one of`,
      `${maxTries} rounds: other work on the machine can only make it longer. The ways are compared with the first one.`,
    ],
    columns: { ours: 'ours', other: 'against the first', result: 'figure' },
    measurements: rows,
  }
}

/** Returns the largest number of runs that was carried; 0 when none was. */
function kneeOf(tried: readonly FlowFigures[]): number {
  return Math.max(0, ...tried.filter(isCarried).map(({ runs }) => runs))
}
