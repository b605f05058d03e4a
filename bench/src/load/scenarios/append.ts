import { type Child, startChild } from '../../child.ts'
import type { Pair } from '../../paired.ts'
import { type Goal, type Measurement, microseconds, type Section } from '../../report.ts'
import { figuresOf, type ProcessFigures } from '../process-figures.ts'

interface AppendOptions {
  readonly flows: readonly AppendFlow[]
  readonly seconds: number
}

/** How many logs get appends, and how many each gets per second. */
interface AppendFlow {
  readonly logs: number
  readonly perSecond: number
}

export const appendFlows: readonly AppendFlow[] = [
  { logs: 20, perSecond: 100 },
  { logs: 300, perSecond: 20 },
  { logs: 1_000, perSecond: 20 },
]

/** What one append costs in the database thread. */
export interface AppendCost {
  readonly cpuUs: number
  /** What the process wrote to disk. */
  readonly bytes: number
}

export interface AppendPair extends AppendFlow {
  readonly ours: AppendCost
  readonly earlier: AppendCost
}

/** Measures appends to many logs in turns: the store as it is, and the layout that it had before. */
export async function measureAppend({ flows, seconds }: AppendOptions) {
  const logs = Math.max(...flows.map(flow => flow.logs))
  await using ours = await startChild('./load/servers/append-process.ts', ['store', String(logs)])
  await using earlier = await startChild('./load/servers/append-process.ts', ['earlier', String(logs)])
  const before = { ours: await figuresOf(ours.pid), earlier: await figuresOf(earlier.pid) }
  const pairs: AppendPair[] = []
  for (const flow of flows) {
    const work = { ...flow, seconds }
    pairs.push({ ...flow, ours: await costOf(ours, work), earlier: await costOf(earlier, work) })
  }
  const all = flows.reduce((sum, flow) => sum + countOf({ ...flow, seconds }), 0)
  await ours.ask('release')
  const whole: Pair<AppendCost> = {
    ours: costBetween(before.ours, await figuresOf(ours.pid), all),
    other: costBetween(before.earlier, await figuresOf(earlier.pid), all),
  }
  return { figures: { pairs, whole }, section: sectionOf(pairs, whole) }
}

interface AppendWork extends AppendFlow {
  readonly seconds: number
}

function countOf({ logs, perSecond, seconds }: AppendWork): number {
  return logs * perSecond * seconds
}

async function costOf(child: Child, work: AppendWork): Promise<AppendCost> {
  const before = await figuresOf(child.pid)
  await child.ask('append', work)
  return costBetween(before, await figuresOf(child.pid), countOf(work))
}

function costBetween(before: ProcessFigures, after: ProcessFigures, appends: number): AppendCost {
  return {
    cpuUs: (after.workerNs - before.workerNs) / 1000 / appends,
    bytes: (after.writtenBytes - before.writtenBytes) / appends,
  }
}

/** `whole`: the costs of all appends together, with the moves at the ends of the runs. */
function sectionOf(pairs: readonly AppendPair[], whole: Pair<AppendCost>): Section {
  return {
    title: 'Load, append: CPU time of the database thread for one entry',
    notes: [
      'Entries of about 60 bytes go to many logs in turns, each at its time. The earlier layout kept the entries of each log',
      'together, and updated a row for the head of the log with each entry; no append waited for others. The CPU time is',
      'that of the thread that has the database, with the messages that it gets and sends. At the end of a run, the store',
      'moves its entries to a place of their own. The last rows include that.',
    ],
    columns: { ours: 'now', other: 'earlier layout', result: 'gain' },
    measurements: [
      ...pairs.flatMap(({ logs, perSecond, ours, earlier }) =>
        rowsOf(`${logs} logs x ${perSecond}/s`, { ours, other: earlier }, { atLeast: 5 }),
      ),
      ...rowsOf('all of them, with the ends of the runs', whole, undefined),
    ],
  }
}

function rowsOf(name: string, { ours, other }: Pair<AppendCost>, goal: Goal): readonly Measurement[] {
  return [
    {
      name: `${name}, CPU per entry`,
      ours: microseconds(ours.cpuUs),
      other: microseconds(other.cpuUs),
      ratio: other.cpuUs / ours.cpuUs,
      goal,
    },
    {
      name: `${name}, written per entry`,
      ours: `${Math.round(ours.bytes)} B`,
      other: `${Math.round(other.bytes)} B`,
      ratio: other.bytes / ours.bytes,
      goal: undefined,
    },
  ]
}
