import { formatFigure, type Goal, type Measurement } from '../report.ts'

interface FigureOptions {
  readonly unit: string
  readonly goal?: Goal
  /** What stands beside it. Default: nothing. */
  readonly other?: string
}

/** Returns a row whose goal is about a figure, not about a ratio. */
export function figureRow(
  name: string,
  value: number,
  { unit, goal, other = '-' }: FigureOptions,
): Measurement {
  return { name, ours: formatFigure(value, unit), other, ratio: value, unit, goal }
}

/** Returns a row for deltas that did not come exactly once. None may be lost, come twice, or be late for good. */
export function exactlyOnceRow(seen: {
  readonly lost: number
  readonly doubled: number
  readonly late: number
}): Measurement {
  const { lost, doubled, late } = seen
  return {
    ...figureRow('lost, doubled or never delivered', lost + doubled + late, {
      unit: 'deltas',
      goal: { atMost: 0 },
    }),
    ours: `${lost}, ${doubled}, ${late}`,
  }
}

/** Returns bytes in megabytes, with one decimal. */
export function megabytes(bytes: number): number {
  return Math.round(bytes / 1e5) / 10
}
