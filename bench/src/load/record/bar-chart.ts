import { colours, lineFrom, picture, rounded, textAt, width } from './svg.ts'

export interface BarChart {
  readonly title: string
  readonly unit: string
  readonly bars: readonly { readonly name: string; readonly value: number }[]
  /** A line for the most that a bar should have. */
  readonly goal?: number
}

const barHeight = 22
const top = 50
const left = 260
const right = width - 90

/** Draws bars from left to right, each with its name and its value. */
export function barChart({ title, unit, bars, goal }: BarChart): string {
  const most = Math.max(goal ?? 0, ...bars.map(({ value }) => value)) || 1
  const toX = (value: number) => left + (value / most) * (right - left)
  const bottom = top + bars.length * (barHeight + 8)
  const shapes = [
    ...bars.flatMap(({ name, value }, index) => {
      const y = top + index * (barHeight + 8)
      return [
        textAt({ x: left - 10, y: y + 15, text: name, anchor: 'end' }),
        `<rect x="${left}" y="${y}" width="${rounded(toX(value) - left)}" height="${barHeight}" fill="${colours[0]}"/>`,
        textAt({ x: toX(value) + 8, y: y + 15, text: `${value.toFixed(value < 10 ? 2 : 0)} ${unit}` }),
      ]
    }),
    ...(goal === undefined
      ? []
      : [
          lineFrom({ from: [toX(goal), top - 8], to: [toX(goal), bottom], className: 'goal' }),
          textAt({ x: toX(goal), y: bottom + 16, text: `goal: at most ${goal} ${unit}`, anchor: 'middle' }),
        ]),
  ]
  return picture({ title, height: bottom + 30, shapes })
}
