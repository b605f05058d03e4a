import { startChild } from '../../child.ts'
import { alignedRows, formatFigure, type Goal, type Measurement, type Section } from '../../report.ts'
import { type FlowFigures, measureFlow } from '../measure-flow.ts'
import { type MedianRound, QuietRounds } from '../quiet-rounds.ts'

/** One size of the load. The goals are upper limits. */
export interface RunsSize {
  readonly runs: number
  readonly perSecond: number
  readonly chars: number
  readonly p99Goal?: number
  readonly bytesGoal?: number
}

/**
 * A delta of 12 characters is longer than what the server joins (10 characters): each is an entry of its own. That is the
 * hard case. With 6 characters, two deltas share an entry, and the first one waits up to 50 ms for the second.
 */
export const runsSizes: readonly RunsSize[] = [
  { runs: 100, perSecond: 20, chars: 12 },
  { runs: 300, perSecond: 20, chars: 12, bytesGoal: 2 },
  { runs: 500, perSecond: 20, chars: 12, p99Goal: 50 },
  { runs: 1_000, perSecond: 20, chars: 12, p99Goal: 200 },
  { runs: 2_000, perSecond: 20, chars: 12 },
  { runs: 20, perSecond: 100, chars: 12, bytesGoal: 2 },
  { runs: 300, perSecond: 20, chars: 6 },
]

const servers = {
  ours: ['./load/servers/server-process.ts'],
  raw: ['./load/servers/raw-process.ts'],
  'AI SDK': ['./load/servers/ai-sdk-process.ts', 'streamText'],
} as const

/** The figures of one server at one size. */
export interface RunsPoint extends FlowFigures {
  readonly server: keyof typeof servers
  readonly rounds: MedianRound<FlowFigures>['rounds']
}

interface RunsOptions {
  readonly seconds: number
  readonly sizes: readonly RunsSize[]
  /** False to measure only our server. */
  readonly withPeers: boolean
  /** How many rounds on quiet cores a size with a goal for its p99 needs. The median is reported. Default: 3. */
  readonly rounds?: number
}

/** Measures many runs with one viewer each: our server, raw `node:http`, and a route of the AI SDK. */
export async function measureRuns({ seconds, sizes, withPeers, rounds = 3 }: RunsOptions) {
  const points: RunsPoint[] = []
  const quietRounds = new QuietRounds()
  for (const size of sizes) {
    for (const server of ['ours', 'raw', 'AI SDK'] as const) {
      if (server !== 'ours' && !withPeers) continue
      const [file, ...words] = servers[server]
      const measure = async () => {
        await using child = await startChild(file, words)
        return await measureFlow({ server: child, savesChats: server === 'ours' }, { ...size, seconds })
      }
      const hasGoal = server === 'ours' && size.p99Goal !== undefined
      const found = await quietRounds.median(hasGoal ? rounds : 1, measure)
      points.push({ server, ...found.figures, rounds: found.rounds })
    }
  }
  return { points, section: sectionOf(points, sizes) }
}

function sectionOf(points: readonly RunsPoint[], sizes: readonly RunsSize[]): Section {
  return {
    title: 'Load, runs: many runs at once, one viewer each',
    notes: [
      'Each delta has a time at which it is due, whatever the server does. p50 and p99 are from that time to the moment when',
      'the viewer, in another process, has the delta. Ours is the whole server with fsync before sending. Raw is node:http',
      'writing the same SSE events. The AI SDK is streamText with a scripted model. Both save nothing. CPU is that of the',
      'main thread, of the worker (our database thread) and of all other threads, as a share of one core. Late are the',
      'deltas that had not come ten seconds after the end. B/delta is what the process wrote to disk: while the deltas came,',
      'and with the ends of the runs. Loop is the delay of the event loop. Sizes with a goal for p99 are measured until three',
      'rounds were on quiet cores (the slowest core has 80 % of its highest speed, before and after the round), and their',
      'median is shown. Rounds are those three, and all that were measured.',
      '',
      ...alignedRows([detailHeads, ...points.map(detailCells)]),
    ],
    columns: { ours: 'ours', other: 'raw | AI SDK', result: 'figure' },
    measurements: sizes.flatMap(size => measurementsOf(points, size)),
  }
}

function measurementsOf(points: readonly RunsPoint[], size: RunsSize): readonly Measurement[] {
  const found = (server: RunsPoint['server']) =>
    points.find(point => point.server === server && isOfSize(point, size))
  const ours = found('ours')
  if (ours === undefined) return []
  const peers = [found('raw'), found('AI SDK')]
  const row = (name: string, figure: (point: RunsPoint) => number, unit: string, goal: Goal): Measurement => {
    const others = peers.map(peer => (peer === undefined ? '-' : formatFigure(figure(peer), unit)))
    const value = figure(ours)
    return {
      name: `${sizeName(size)}: ${name}`,
      ours: formatFigure(value, unit),
      other: others.join(' | '),
      ratio: value,
      unit,
      goal,
    }
  }
  return [
    row('lost or doubled', point => point.lost + point.doubled, 'deltas', { atMost: 0 }),
    row('p99, due to socket', point => point.p99Ms, 'ms', atMost(size.p99Goal)),
    row('CPU per delta', point => point.cpuUsPerDelta, 'µs', undefined),
    row('written per delta', point => point.streamingBytesPerDelta / 1024, 'KB', atMost(size.bytesGoal)),
    row('the same, with the ends of the runs', point => point.bytesPerDelta / 1024, 'KB', undefined),
  ]
}

function atMost(limit: number | undefined): Goal {
  return limit === undefined ? undefined : { atMost: limit }
}

function isOfSize(point: RunsPoint, { runs, perSecond, chars }: RunsSize): boolean {
  return point.runs === runs && point.perSecond === perSecond && point.chars === chars
}

function sizeName({ runs, perSecond, chars }: Pick<RunsSize, 'runs' | 'perSecond' | 'chars'>): string {
  return `${runs.toLocaleString('en')} runs x ${perSecond}/s, ${chars} characters`
}

const detailHeads = [
  ...['', 'delivered/s', 'p50', 'p99', 'late', 'main', 'worker', 'other', 'CPU/delta', 'events'],
  ...['B/delta', 'with ends', 'RSS', 'heap', 'loop p99', 'rounds'],
]

function detailCells(point: RunsPoint): readonly string[] {
  const percent = (share: number) => `${Math.round(share * 100)} %`
  const megabytes = (bytes: number) => `${Math.round(bytes / 1e6)} MB`
  return [
    `${point.server}, ${point.runs} x ${point.perSecond}/s, ${point.chars} characters`,
    Math.round(point.deliveredPerSecond).toString(),
    formatFigure(point.p50Ms, 'ms'),
    formatFigure(point.p99Ms, 'ms'),
    point.late.toString(),
    percent(point.mainShare),
    percent(point.workerShare),
    percent(point.otherShare),
    formatFigure(point.cpuUsPerDelta, 'µs'),
    point.events.toString(),
    Math.round(point.streamingBytesPerDelta).toString(),
    Math.round(point.bytesPerDelta).toString(),
    megabytes(point.peakRssBytes),
    megabytes(point.heapBytes),
    formatFigure(point.loopDelayP99Ms, 'ms'),
    `${point.rounds.counted} of ${point.rounds.measured}`,
  ]
}
