import { type Child, startChild } from '../../child.ts'
import { formatFigure, type Section } from '../../report.ts'
import { median, sleep } from '../../timing.ts'
import { now, until } from '../clock.ts'
import { exactlyOnceRow, megabytes } from '../figure-row.ts'
import { figuresOf } from '../process-figures.ts'
import { askFor } from '../viewers/viewer-request.ts'
import { startViewers } from '../viewers/viewers.ts'

interface SoakOptions {
  readonly minutes: number
  /** How many runs begin in a second, and how long each takes. */
  readonly runsPerSecond: number
  readonly runSeconds: number
  /** Added to the environment of the server. */
  readonly env?: Readonly<Record<string, string>>
}

/** The memory of the server over time, in bytes. */
export interface SoakFigures extends Omit<SoakOptions, 'env'> {
  readonly emptyBytes: number
  /** One value per second. */
  readonly rssBytes: readonly number[]
  /** The memory some time after the last run has ended. */
  readonly afterBytes: number
  readonly lost: number
  readonly doubled: number
  readonly late: number
}

const perSecond = 20

/** Measures whether memory grows while runs come and go for minutes, and whether it goes back when they are over. */
export async function measureSoak({ minutes, runsPerSecond, runSeconds, env }: SoakOptions) {
  await using server = await startChild('./load/servers/server-process.ts', [], env)
  await using viewers = await startViewers(runsPerSecond * runSeconds)
  // A few runs first, so that the code is loaded and compiled.
  await startRuns(5)
  await viewers.finish(now() + 20_000)
  await viewers.leave()
  await sleep(2_000)
  const { rssBytes: emptyBytes } = await figuresOf(server.pid)
  const rssBytes: number[] = []
  const seconds = Math.max(3, Math.round(minutes * 60))
  const startedAt = now()
  while (rssBytes.length < seconds) {
    await startRuns(runsPerSecond)
    await until(startedAt + (rssBytes.length + 1) * 1000)
    rssBytes.push((await figuresOf(server.pid)).rssBytes)
  }
  const seen = await viewers.finish(now() + 30_000)
  const figures: SoakFigures = {
    ...{ minutes, runsPerSecond, runSeconds, emptyBytes, rssBytes },
    afterBytes: await rssAfterwards(server, seconds),
    lost: seen.lost,
    doubled: seen.doubled,
    late: seen.missing,
  }
  return { figures, section: sectionOf(figures) }

  async function startRuns(count: number): Promise<void> {
    const deltas = Math.round(runSeconds * perSecond)
    const plan = { from: '1970', startMs: now(), intervalMs: 1000 / perSecond, deltas, chars: 12 } as const
    await viewers.open(
      server.url,
      Array.from({ length: count }, () => askFor(plan)),
    )
  }
}

/** Returns the memory when the server has been left alone for up to half a minute. */
async function rssAfterwards(server: Child, seconds: number): Promise<number> {
  await sleep(Math.min(30, seconds) * 1000)
  return (await figuresOf(server.pid)).rssBytes
}

function sectionOf(figures: SoakFigures): Section {
  const { minutes, runsPerSecond, runSeconds, emptyBytes, rssBytes, afterBytes } = figures
  const third = Math.floor(rssBytes.length / 3)
  const middle = median(rssBytes.slice(third, 2 * third))
  const last = median(rssBytes.slice(2 * third))
  const memory = (bytes: number) => formatFigure(megabytes(bytes), 'MB')
  return {
    title: `Load, soak: ${runsPerSecond} new runs per second for ${minutes} minutes`,
    notes: [
      `Each run takes ${runSeconds} seconds, ${perSecond} deltas/s, in a new chat, with one viewer. The first third is the warm-up. Memory is flat`,
      'when the last third needs no more than the middle one. Afterwards, the server is left alone for up to 30 seconds.',
    ],
    columns: { ours: 'RSS', other: 'against' },
    measurements: [
      {
        name: 'last third against middle third',
        ours: memory(last),
        other: memory(middle),
        ratio: last / middle,
        goal: { atMost: 1.1 },
      },
      {
        name: 'afterwards against the start',
        ours: memory(afterBytes),
        other: memory(emptyBytes),
        ratio: afterBytes / emptyBytes,
        goal: { atMost: 1.5 },
      },
      exactlyOnceRow(figures),
    ],
  }
}
