import { type Child, startChild } from '../../child.ts'
import type { Measurement, Section } from '../../report.ts'
import { microseconds } from '../../report.ts'
import { figuresOf } from '../process-figures.ts'

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
  const pairs: AppendPair[] = []
  for (const atOnce of groups) {
    const work = { appends: Math.ceil(appends / atOnce) * atOnce, atOnce }
    pairs.push({ atOnce, ours: await costOf(ours, work), earlier: await costOf(earlier, work) })
  }
  return { pairs, section: sectionOf(pairs, logs) }
}

async function costOf(child: Child, work: { readonly appends: number }): Promise<AppendCost> {
  const before = await figuresOf(child.pid)
  await child.ask('append', work)
  const after = await figuresOf(child.pid)
  return {
    cpuUs: (after.workerNs - before.workerNs) / 1000 / work.appends,
    bytes: (after.writtenBytes - before.writtenBytes) / work.appends,
  }
}

function sectionOf(pairs: readonly AppendPair[], logs: number): Section {
  return {
    title: 'Load, append: CPU time of the database thread for one append',
    notes: [
      `One entry of about 60 bytes goes to each of ${logs.toLocaleString('en')} logs in turns. The earlier layout kept the entries of each log`,
      'together, and updated a row for the head of the log with each append. The CPU time is that of the thread that has the',
      'database, with the messages that it gets and sends.',
    ],
    columns: { ours: 'now', other: 'earlier layout', result: 'gain' },
    measurements: pairs.flatMap(pair => rowsOf(pair)),
  }
}

function rowsOf({ atOnce, ours, earlier }: AppendPair): readonly Measurement[] {
  const name = `${atOnce} appends at once`
  return [
    {
      name: `${name}, CPU per append`,
      ours: microseconds(ours.cpuUs),
      other: microseconds(earlier.cpuUs),
      ratio: earlier.cpuUs / ours.cpuUs,
      goal: { atLeast: 5 },
    },
    {
      name: `${name}, written per append`,
      ours: `${Math.round(ours.bytes)} B`,
      other: `${Math.round(earlier.bytes)} B`,
      ratio: earlier.bytes / ours.bytes,
      goal: undefined,
    },
  ]
}
