import { freshDatabase } from '@throughline/testing/postgres/fresh-database'
import { z } from 'zod'
import { type Child, startChild } from '../../child.ts'
import type { Pair } from '../../paired.ts'
import type { Section } from '../../report.ts'
import { median } from '../../timing.ts'

interface AppendOptions {
  readonly serverUrl: string
  /** How many rows a statement has. Each size is measured. */
  readonly batches: readonly number[]
  /** How long one turn takes. */
  readonly seconds: number
  readonly rounds: number
}

/** The rows per second of all rounds. */
interface AppendFigures {
  readonly batch: number
  readonly rounds: readonly Pair<number>[]
}

const turn = z.object({ rows: z.number(), ms: z.number() })

/** Measures how many rows per second our log commits, against plain batched inserts, in turns. */
export async function measureAppend({ serverUrl, batches, seconds, rounds }: AppendOptions) {
  const figures: AppendFigures[] = []
  for (const batch of batches) {
    await using database = await freshDatabase(serverUrl)
    const start = (mode: string) =>
      startChild('./scale/servers/append-process.ts', [mode, String(batch)], { DATABASE_URL: database.url })
    await using ours = await start('store')
    await using plain = await start('plain')
    const pair = async (length: number): Promise<Pair<number>> => ({
      ours: await rateOf(ours, length),
      other: await rateOf(plain, length),
    })
    // The first round compiles the code, and does not count.
    await pair(Math.min(1, seconds))
    const found: Pair<number>[] = []
    for (let round = 0; round < rounds; round += 1) found.push(await pair(seconds))
    figures.push({ batch, rounds: found })
  }
  return { figures, section: sectionOf(figures) }
}

/** Returns the rows per second of one turn. */
async function rateOf(child: Child, seconds: number): Promise<number> {
  const { rows, ms } = turn.parse(await child.ask('append', seconds))
  return (rows * 1_000) / ms
}

function sectionOf(figures: readonly AppendFigures[]): Section {
  const rate = (value: number) => `${Math.round(value).toLocaleString('en')}/s`
  return {
    title: 'Scale, append: rows per second through our log, against plain inserts',
    notes: [
      'Many logs, each with one append of one entry (about 60 bytes) under way. Ours is the log of the store: it checks the',
      'fence and the end of each log under a lock on its row, numbers the entries, and rings other nodes. Plain is',
      '`insert ... select unnest` of the same rows into a table of the same shape, without any check. Both have three',
      'statements under way, on connections with the same settings, and write JSON for each row. They take turns in the',
      'same database. The ratio is the median of the ratios of the rounds.',
    ],
    columns: { ours: 'ours', other: 'plain inserts' },
    measurements: figures.map(({ batch, rounds }) => ({
      name: `${batch} rows per statement`,
      ours: rate(median(rounds.map(({ ours }) => ours))),
      other: rate(median(rounds.map(({ other }) => other))),
      ratio: median(rounds.map(({ ours, other }) => ours / other)),
      goal: { atLeast: 0.65 },
    })),
  }
}
