import { type Child, startChild } from '../../child.ts'
import type { Section } from '../../report.ts'
import { sleep } from '../../timing.ts'
import type { AnswerPlan } from '../answer-plan.ts'
import { assertSound } from '../assert-sound.ts'
import { now } from '../clock.ts'
import { exactlyOnceRow, figureRow } from '../figure-row.ts'
import { askFor, stopRun } from '../viewers/viewer-request.ts'
import { startViewers, type Viewers } from '../viewers/viewers.ts'

const perSecond = 20

interface StormOptions {
  /** The runs whose viewers are cut at once, and the runs that are stopped at once. */
  readonly resumed: number
  readonly stopped: number
  readonly seconds: number
}

export interface StormFigures extends StormOptions {
  /** From the cut to the first delta on the new connection. */
  readonly resumeP50Ms: number
  readonly resumeP99Ms: number
  /** From the request to stop to its response. */
  readonly stopP50Ms: number
  readonly stopP99Ms: number
  readonly lost: number
  readonly doubled: number
  readonly late: number
}

/** Measures what happens when all viewers lose their connections at once, and when all runs are stopped at once. */
export async function measureStorm(options: StormOptions) {
  const figures: StormFigures = { ...options, ...(await cutAll(options)), ...(await stopAll(options)) }
  return { figures, section: sectionOf(figures) }
}

async function cutAll({ resumed, seconds }: StormOptions) {
  await using server = await startChild('./load/servers/server-process.ts')
  await using viewers = await startViewers(resumed)
  const plan = planFor(seconds)
  const chats = Array.from({ length: resumed }, (_, index) => ({ chatId: `resume-${index}`, plan }))
  await viewers.open(
    server.url,
    chats.map(({ chatId }) => askFor(plan, chatId)),
  )
  await openGate(server, viewers)
  await sleep((seconds * 1000) / 2)
  const times = await viewers.cutAndResume()
  const seen = await viewers.finish(now() + seconds * 1000 + 10_000)
  if (seen.missing === 0) await assertSound(server.url, { chats, seen: [] })
  return {
    resumeP50Ms: times.percentile(0.5),
    resumeP99Ms: times.percentile(0.99),
    lost: seen.lost,
    doubled: seen.doubled,
    late: seen.missing,
  }
}

async function stopAll({ stopped }: StormOptions) {
  await using server = await startChild('./load/servers/server-process.ts')
  await using viewers = await startViewers(stopped)
  const chats = Array.from({ length: stopped }, (_, index) => `stop-${index}`)
  // The answers would take a minute: no run ends by itself before it is stopped.
  const plan = planFor(60)
  await viewers.open(
    server.url,
    chats.map(chatId => askFor(plan, chatId)),
  )
  await openGate(server, viewers)
  await sleep(1_000)
  const times = await viewers.request(server.url, chats.map(stopRun), stopped)
  return { stopP50Ms: times.percentile(0.5), stopP99Ms: times.percentile(0.99) }
}

async function openGate(server: Child, viewers: Viewers): Promise<void> {
  const gate = now() + 100
  await viewers.setGate(gate)
  await server.ask('gate', gate)
}

function planFor(seconds: number): AnswerPlan {
  const intervalMs = 1000 / perSecond
  return { from: 'gate', startMs: 0, intervalMs, deltas: Math.round(seconds * perSecond), chars: 12 }
}

function sectionOf(figures: StormFigures): Section {
  const { resumed, stopped, resumeP50Ms, resumeP99Ms, stopP50Ms, stopP99Ms } = figures
  return {
    title: 'Load, storm: all viewers cut at once, and all runs stopped at once',
    notes: [
      `${resumed} runs x ${perSecond}/s: all connections are cut at once, and each viewer comes back at once after its last position. The`,
      `time is from the cut to the next delta. ${stopped} runs x ${perSecond}/s: all are stopped at once. The time is from the request to its`,
      'response, so the end of the run is saved by then.',
    ],
    columns: { ours: 'ours', other: '', result: 'figure' },
    measurements: [
      figureRow('resume, p50', resumeP50Ms, { unit: 'ms' }),
      figureRow('resume, p99', resumeP99Ms, { unit: 'ms' }),
      exactlyOnceRow(figures),
      figureRow('stop, p50', stopP50Ms, { unit: 'ms' }),
      figureRow('stop, p99', stopP99Ms, { unit: 'ms' }),
    ],
  }
}
