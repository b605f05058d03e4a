import { cpus } from 'node:os'

/** What a ratio must reach. A measurement without a goal is only reported. */
export type Goal = { readonly atLeast: number } | { readonly atMost: number } | undefined

export interface Measurement {
  readonly name: string
  readonly ours: string
  readonly other: string
  readonly ratio: number
  readonly goal: Goal
}

/** Measurements that belong together, with notes that explain them. */
export interface Section {
  readonly title: string
  readonly notes: readonly string[]
  readonly columns: { readonly ours: string; readonly other: string }
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
    formatRatio(measurement.ratio),
    formatGoal(measurement.goal),
    measurement.goal === undefined ? '' : isMet(measurement) ? 'met' : 'MISSED',
  ])
  const table = [['', columns.ours, columns.other, 'ratio', 'goal', ''], ...rows]
  return [`## ${title}`, ...notes, '', ...alignedRows(table), ''].join('\n')
}

export function microseconds(value: number): string {
  return `${value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0)} µs`
}

function formatRatio(ratio: number): string {
  return `${ratio.toFixed(ratio < 10 ? 2 : ratio < 100 ? 1 : 0)}x`
}

function formatGoal(goal: Goal): string {
  if (goal === undefined) return '-'
  return 'atLeast' in goal ? `>= ${goal.atLeast}x` : `<= ${goal.atMost}x`
}

function alignedRows(rows: readonly (readonly string[])[]): string[] {
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
