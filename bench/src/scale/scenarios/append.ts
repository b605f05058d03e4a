import { freshDatabase } from '@throughline/testing/postgres/fresh-database'
import { z } from 'zod'
import { type Child, startChild } from '../../child.ts'
import type { Goal, Measurement, Section } from '../../report.ts'
import { median } from '../../timing.ts'

interface AppendOptions {
  readonly serverUrl: string
  /** How many logs are written at once. Each number is measured. */
  readonly logs: readonly number[]
  /** How long one turn takes. */
  readonly seconds: number
  readonly rounds: number
}

/** Rows per second: ours, plain inserts for the same callers, and plain inserts in loops. */
interface AppendRound {
  readonly ours: number
  readonly callers: number
  readonly loops: number
}

interface AppendFigures {
  readonly logs: number
  readonly rounds: readonly AppendRound[]
}

/** The goal is for as many logs as the other scenarios have runs. With fewer ones, statements are smaller. */
const goalLogs = 1_000

const turn = z.object({ rows: z.number(), ms: z.number() })

/** Measures how many rows per second our log commits, against plain batched inserts, in turns. */
export async function measureAppend({ serverUrl, logs, seconds, rounds }: AppendOptions) {
  const figures: AppendFigures[] = []
  for (const count of logs) {
    await using database = await freshDatabase(serverUrl)
    const start = (mode: string) =>
      startChild('./scale/servers/append-process.ts', [mode, String(count)], { DATABASE_URL: database.url })
    await using ours = await start('store')
    await using callers = await start('callers')
    await using loops = await start('loops')
    const round = async (length: number): Promise<AppendRound> => ({
      ours: await rateOf(ours, length),
      callers: await rateOf(callers, length),
      loops: await rateOf(loops, length),
    })
    // The first round compiles the code, and does not count.
    await round(Math.min(1, seconds))
    const found: AppendRound[] = []
    while (found.length < rounds) found.push(await round(seconds))
    figures.push({ logs: count, rounds: found })
  }
  return { figures, section: sectionOf(figures) }
}

/** Returns the rows per second of one turn. */
async function rateOf(child: Child, seconds: number): Promise<number> {
  const { rows, ms } = turn.parse(await child.ask('append', seconds))
  return (rows * 1_000) / ms
}

function sectionOf(figures: readonly AppendFigures[]): Section {
  return {
    title: 'Scale, append: rows per second through our log, against plain inserts',
    notes: [
      'Many logs, each with one append of one entry (about 60 bytes) under way. Ours is the log of the store: it checks the',
      'fence of each log under a lock on its row, numbers the entries, and rings other nodes. Plain is `insert ... select',
      'unnest` of the same rows into a table of the same shape, without any check. It collects the rows of as many callers,',
      'who wait for theirs; or three loops make up whole batches, and nobody waits for a single row. All of them write JSON',
      'for each row, and have three statements under way on connections with the same settings. A statement takes all rows that',
      'wait. They take turns in one database. The ratio is the median of the ratios of the rounds.',
    ],
    columns: { ours: 'ours', other: 'plain inserts' },
    measurements: figures.flatMap(each => [
      rowOf(each, 'callers', each.logs >= goalLogs ? { atLeast: 0.65 } : undefined),
      rowOf(each, 'loops', undefined),
    ]),
  }
}

function rowOf({ logs, rounds }: AppendFigures, other: 'callers' | 'loops', goal: Goal): Measurement {
  const rate = (values: readonly number[]) => `${Math.round(median(values)).toLocaleString('en')}/s`
  return {
    name: `${logs.toLocaleString('en')} logs, against ${other === 'callers' ? 'as many callers' : 'loops'}`,
    ours: rate(rounds.map(each => each.ours)),
    other: rate(rounds.map(each => each[other])),
    ratio: median(rounds.map(each => each.ours / each[other])),
    goal,
  }
}
