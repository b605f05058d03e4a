import { type Child, startChild } from '../../child.ts'
import type { Pair } from '../../paired.ts'
import { type Goal, type Measurement, microseconds, type Section } from '../../report.ts'
import { figuresOf, type ProcessFigures } from '../process-figures.ts'

interface AppendOptions {
  readonly logs: number
  /** How many appends are under way at once. */
  readonly groups: readonly number[]
  /** How many appends are measured for each group. */
  readonly appends: number
}

/** What one append costs in the database thread. */
export interface AppendCost {
  readonly cpuUs: number
  /** What the process wrote to disk. */
  readonly bytes: number
}

export interface AppendPair {
  readonly atOnce: number
  readonly ours: AppendCost
  readonly earlier: AppendCost
}

/** Measures appends to many logs in turns: the store as it is, and the layout that it had before. */
export async function measureAppend({ logs, groups, appends }: AppendOptions) {
  await using ours = await startChild('./load/servers/append-process.ts', ['store', String(logs)])
  await using earlier = await startChild('./load/servers/append-process.ts', ['earlier', String(logs)])
  const before = { ours: await figuresOf(ours.pid), earlier: await figuresOf(earlier.pid) }
  const pairs: AppendPair[] = []
  for (const atOnce of groups) {
    const work = { appends: Math.ceil(appends / atOnce) * atOnce, atOnce }
    pairs.push({ atOnce, ours: await costOf(ours, work), earlier: await costOf(earlier, work) })
  }
  const all = groups.reduce((sum, atOnce) => sum + Math.ceil(appends / atOnce) * atOnce, 0)
  await ours.ask('release')
  const whole: Pair<AppendCost> = {
    ours: costBetween(before.ours, await figuresOf(ours.pid), all),
    other: costBetween(before.earlier, await figuresOf(earlier.pid), all),
  }
  return { figures: { pairs, whole }, section: sectionOf(pairs, { whole, logs }) }
}

async function costOf(child: Child, work: { readonly appends: number }): Promise<AppendCost> {
  const before = await figuresOf(child.pid)
  await child.ask('append', work)
  return costBetween(before, await figuresOf(child.pid), work.appends)
}

function costBetween(before: ProcessFigures, after: ProcessFigures, appends: number): AppendCost {
  return {
    cpuUs: (after.workerNs - before.workerNs) / 1000 / appends,
    bytes: (after.writtenBytes - before.writtenBytes) / appends,
  }
}

interface Whole {
  /** The costs of all appends together, with the moves at the ends of the runs. */
  readonly whole: Pair<AppendCost>
  readonly logs: number
}

function sectionOf(pairs: readonly AppendPair[], { whole, logs }: Whole): Section {
  return {
    title: 'Load, append: CPU time of the database thread for one append',
    notes: [
      `One entry of about 60 bytes goes to each of ${logs.toLocaleString('en')} logs in turns. The earlier layout kept the entries of each log`,
      'together, and updated a row for the head of the log with each append. The CPU time is that of the thread that has the',
      'database, with the messages that it gets and sends. At the end of a run, the store moves its entries to a place of',
      'their own. The last rows include that.',
    ],
    columns: { ours: 'now', other: 'earlier layout', result: 'gain' },
    measurements: [
      ...pairs.flatMap(({ atOnce, ours, earlier }) =>
        rowsOf(`${atOnce} appends at once`, { ours, other: earlier }, { atLeast: 5 }),
      ),
      ...rowsOf('all of them, with the ends of the runs', whole, undefined),
    ],
  }
}

function rowsOf(name: string, { ours, other }: Pair<AppendCost>, goal: Goal): readonly Measurement[] {
  return [
    {
      name: `${name}, CPU per append`,
      ours: microseconds(ours.cpuUs),
      other: microseconds(other.cpuUs),
      ratio: other.cpuUs / ours.cpuUs,
      goal,
    },
    {
      name: `${name}, written per append`,
      ours: `${Math.round(ours.bytes)} B`,
      other: `${Math.round(other.bytes)} B`,
      ratio: other.bytes / ours.bytes,
      goal: undefined,
    },
  ]
}
