import type { ScenarioPicture } from '../../scenario.ts'
import type { RunsPoint } from '../scenarios/runs.ts'
import type { SoakFigures } from '../scenarios/soak.ts'
import { barChart } from './bar-chart.ts'
import { lineChart } from './line-chart.ts'

const bytesGoalKb = 2

/** Draws the latencies of all servers over the number of runs, and what ours writes to disk. */
export function runsPictures(points: readonly RunsPoint[]): readonly ScenarioPicture[] {
  const comparable = points.filter(({ perSecond, chars }) => perSecond === 20 && chars === 12)
  const lines = (['ours', 'raw', 'AI SDK'] as const).map(server => ({
    name: names[server],
    points: comparable
      .filter(point => point.server === server)
      .map(({ runs, p99Ms }) => [runs, p99Ms] as const),
  }))
  return [
    {
      file: 'load-p99.svg',
      alt: 'p99 from when a delta is due to the socket, over the number of runs',
      svg: lineChart({
        title: 'From when a delta is due to the viewer’s socket, p99',
        x: {
          name: 'runs at once, 20 deltas/s each',
          ticks: [100, 300, 500, 1_000, 2_000],
          isLogarithmic: true,
        },
        y: { name: 'ms', ticks: [1, 10, 100, 1_000, 10_000], isLogarithmic: true },
        lines: lines.filter(line => line.points.length > 0),
      }),
    },
    {
      file: 'load-bytes.svg',
      alt: 'bytes written to disk per delta',
      svg: barChart({
        title: 'Written to disk per delta, with fsync before sending',
        unit: 'KB',
        goal: bytesGoalKb,
        bars: points
          .filter(({ server }) => server === 'ours')
          .map(({ runs, perSecond, chars, bytesPerDelta }) => ({
            name: `${runs.toLocaleString('en')} runs x ${perSecond}/s, ${chars} characters`,
            value: bytesPerDelta / 1024,
          })),
      }),
    },
  ]
}

const names = {
  ours: 'Throughline: SQLite with fsync before sending',
  raw: 'raw node:http, nothing saved',
  'AI SDK': 'AI SDK streamText, nothing saved',
} as const

/** Draws the memory of the server over the time of the soak. */
export function soakPictures({ rssBytes, emptyBytes }: SoakFigures): readonly ScenarioPicture[] {
  const megabytes = (bytes: number) => bytes / 1e6
  const highest = Math.max(...rssBytes.map(megabytes), megabytes(emptyBytes) * 1.5)
  return [
    {
      file: 'load-memory.svg',
      alt: 'memory of the server over time while runs come and go',
      svg: lineChart({
        title: 'Memory of the server while runs come and go',
        x: { name: 'seconds', ticks: evenTicks(rssBytes.length) },
        y: { name: 'MB', ticks: evenTicks(highest) },
        lines: [
          { name: 'RSS', points: rssBytes.map((bytes, second) => [second + 1, megabytes(bytes)] as const) },
          {
            name: 'RSS before the first run',
            points: [
              [0, megabytes(emptyBytes)],
              [rssBytes.length, megabytes(emptyBytes)],
            ],
          },
        ],
      }),
    },
  ]
}

/** Returns round values from 0 to at least `highest`. */
function evenTicks(highest: number): readonly number[] {
  const rough = Math.max(1, highest) / 5
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = ([1, 2, 5, 10].find(factor => factor * power >= rough) ?? 10) * power
  return Array.from({ length: Math.ceil(highest / step) + 1 }, (_, index) => index * step)
}
