import { startChild } from '../../child.ts'
import type { Section } from '../../report.ts'
import { exactlyOnceRow, figureRow } from '../figure-row.ts'
import { type FlowFigures, measureFlow } from '../measure-flow.ts'
import { type MedianRound, QuietRounds } from '../quiet-rounds.ts'

interface ProviderOptions {
  readonly runs: number
  readonly seconds: number
  /** How many rounds on quiet cores are measured. The median is reported. Default: 3. */
  readonly rounds?: number
}

/** Measures runs whose model is behind HTTP: an OpenAI-compatible provider in another process. */
export async function measureProvider({ runs, seconds, rounds = 3 }: ProviderOptions) {
  const measured = await new QuietRounds().median(rounds, async () => {
    await using provider = await startChild('./load/servers/provider-process.ts')
    await using server = await startChild('./load/servers/server-process.ts', [provider.url])
    const flow = { runs, perSecond: 20, chars: 12, seconds }
    return await measureFlow({ server, sources: [provider] }, flow)
  })
  return { figures: measured.figures, section: sectionOf(measured) }
}

function sectionOf({ figures, rounds }: MedianRound<FlowFigures>): Section {
  const { runs, p50Ms, p99Ms, cpuUsPerDelta, deliveredPerSecond, mainShare } = figures
  return {
    title: `Load, provider: ${runs} runs x 20/s, with a model behind HTTP`,
    notes: [
      'The model is an OpenAI-compatible provider in another process. The times are from the moment when the provider should',
      'write a delta to the moment when the viewer has it. The figures are those of the round with the median p99:',
      `${rounds.counted} of ${rounds.measured} rounds counted (see above).`,
    ],
    columns: { ours: 'ours', other: '', result: 'figure' },
    measurements: [
      figureRow('p50, due to socket', p50Ms, { unit: 'ms' }),
      figureRow('p99, due to socket', p99Ms, { unit: 'ms', goal: { atMost: 150 } }),
      figureRow('delivered per second', Math.round(deliveredPerSecond), { unit: 'deltas' }),
      figureRow('CPU per delta', cpuUsPerDelta, { unit: 'µs' }),
      figureRow('main thread', mainShare * 100, { unit: '% of a core' }),
      exactlyOnceRow(figures),
    ],
  }
}
