import { cpus } from 'node:os'

/** What a ratio must reach. A measurement without a goal is only reported. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number } | undefined

export interface Measurement {
  readonly name: string
  readonly ours: string
  readonly other: string
  /** What the goal is about: a ratio, or a figure in `unit`. */
  readonly ratio: number
  /** The unit of a figure that is not a ratio, such as `ms`. */
  readonly unit?: string
  readonly goal: Goal
}

/** Measurements that belong together, with notes that explain them. */
export interface Section {
  readonly title: string
  readonly notes: readonly string[]
  readonly columns: { readonly ours: string; readonly other: string; readonly result?: string }
  readonly measurements: readonly Measurement[]
}

export function isMet({ ratio, goal }: Measurement): boolean {
  if (goal === undefined) return true
  return 'atLeast' in goal ? ratio >= goal.atLeast : ratio <= goal.atMost
}

/** Returns the date and the machine of the measurements. The numbers mean nothing without them. */
export function heading(at: Date): string {
  const [cpu] = cpus()
  return [
    `Throughline bench, ${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    `${cpu?.model.trim() ?? 'unknown CPU'} x ${cpus().length}, Node ${process.version}, ${process.platform} ${process.arch}`,
  ].join('\n')
}

export function formatSection({ title, notes, columns, measurements }: Section): string {
  const rows = measurements.map(measurement => [
    measurement.name,
    measurement.ours,
    measurement.other,
    formatFigure(measurement.ratio, measurement.unit),
    formatGoal(measurement),
    measurement.goal === undefined ? '' : isMet(measurement) ? 'met' : 'MISSED',
  ])
  const table = [['', columns.ours, columns.other, columns.result ?? 'ratio', 'goal', ''], ...rows]
  return [`## ${title}`, ...notes, '', ...alignedRows(table), ''].join('\n')
}

export function microseconds(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} µs`
}

/** Returns a figure with its unit. Without a unit, it is a ratio. */
export function formatFigure(value: number, unit?: string): string {
  const digits = value < 10 ? 2 : value < 100 ? 1 : 0
  return unit === undefined
    ? `${value.toFixed(digits)}x`
    : `${Number.isInteger(value) ? value : value.toFixed(digits)} ${unit}`
}

export function formatGoal({ goal, unit }: Pick<Measurement, 'goal' | 'unit'>): string {
  if (goal === undefined) return '-'
  const [sign, value] = 'atLeast' in goal ? ['>=', goal.atLeast] : ['<=', goal.atMost]
  return `${sign} ${value}${unit === undefined ? 'x' : ` ${unit}`}`
}

/** Returns the rows of a table as lines of text. The first column is flush left, the others flush right. */
export function alignedRows(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>(
    (found, row) => row.map((cell, index) => Math.max(cell.length, found[index] ?? 0)),
    [],
  )
  return rows.map(row =>
    row
      .map((cell, index) =>
        index === 0 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  )
}
