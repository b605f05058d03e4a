import { startChild } from '../../child.ts'
import type { Section } from '../../report.ts'
import { exactlyOnceRow, figureRow } from '../figure-row.ts'
import { type FlowFigures, measureFlow } from '../measure-flow.ts'

/** Measures one run that many people watch. */
export async function measureFanOut({
  viewers,
  seconds,
}: {
  readonly viewers: number
  readonly seconds: number
}) {
  await using server = await startChild('./load/servers/server-process.ts')
  const flow = { runs: 1, viewersPerRun: viewers, perSecond: 50, chars: 12, seconds }
  const figures = await measureFlow({ server }, flow)
  return { figures, section: sectionOf(figures, viewers) }
}

function sectionOf(figures: FlowFigures, viewers: number): Section {
  const { p50Ms, p99Ms, deliveredPerSecond, cpuUsPerDelta, mainShare } = figures
  return {
    title: `Load, fan-out: one run x 50/s to ${viewers.toLocaleString('en')} viewers`,
    notes: ['All viewers follow the log of one chat. CPU per delta is that of one delta to one viewer.'],
    columns: { ours: 'ours', other: '', result: 'figure' },
    measurements: [
      figureRow('p50, due to socket', p50Ms, { unit: 'ms' }),
      figureRow('p99, due to socket', p99Ms, { unit: 'ms', goal: { atMost: 150 } }),
      figureRow('delivered per second', Math.round(deliveredPerSecond), { unit: 'deltas' }),
      figureRow('CPU per delta and viewer', cpuUsPerDelta, { unit: 'µs' }),
      figureRow('main thread', mainShare * 100, { unit: '% of a core' }),
      exactlyOnceRow(figures),
    ],
  }
}
