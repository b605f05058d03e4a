import { colours, lineFrom, picture, rounded, textAt, width } from './svg.ts'

/** One axis: its name, and the values that are written at it. The axis ends at the first and the last of them. */
export interface Axis {
  readonly name: string
  readonly ticks: readonly number[]
  /** Equal distances are equal factors. */
  readonly isLogarithmic?: boolean
}

export interface LineChart {
  readonly title: string
  readonly x: Axis
  readonly y: Axis
  readonly lines: readonly {
    readonly name: string
    readonly points: readonly (readonly [number, number])[]
  }[]
}

const height = 380
const box = { left: 70, right: width - 20, top: 60, bottom: height - 50 }

/** Draws lines over two axes, with their names above. */
export function lineChart({ title, x, y, lines }: LineChart): string {
  const toX = scale(x, box.left, box.right)
  const toY = scale(y, box.bottom, box.top)
  const shapes = [
    ...x.ticks.flatMap(tick => [
      lineFrom({ from: [toX(tick), box.top], to: [toX(tick), box.bottom], className: 'grid' }),
      textAt({ x: toX(tick), y: box.bottom + 18, text: tick.toLocaleString('en'), anchor: 'middle' }),
    ]),
    ...y.ticks.flatMap(tick => [
      lineFrom({ from: [box.left, toY(tick)], to: [box.right, toY(tick)], className: 'grid' }),
      textAt({ x: box.left - 8, y: toY(tick) + 4, text: tick.toLocaleString('en'), anchor: 'end' }),
    ]),
    textAt({ x: (box.left + box.right) / 2, y: height - 10, text: x.name, anchor: 'middle' }),
    textAt({ x: 10, y: box.top - 14, text: y.name }),
    ...lines.flatMap(({ name, points }, index) => {
      const colour = colours[index % colours.length] ?? colours[0]
      return [
        textAt({ x: box.right, y: 22 + index * 16, text: name, anchor: 'end', colour }),
        polyline(
          points.map(([atX, atY]) => [toX(atX), toY(atY)]),
          colour,
        ),
      ]
    }),
  ]
  return picture({ title, height, shapes })
}

function polyline(points: readonly (readonly [number, number])[], colour: string): string {
  const corners = points.map(([x, y]) => `${rounded(x)},${rounded(y)}`).join(' ')
  const line = `<polyline points="${corners}" fill="none" stroke="${colour}" stroke-width="2.5"/>`
  if (points.length > 20) return line
  const dots = points.map(
    ([x, y]) => `<circle cx="${rounded(x)}" cy="${rounded(y)}" r="3.5" fill="${colour}"/>`,
  )
  return [line, ...dots].join('\n')
}

/** Returns a function from a value to a coordinate. A value beyond the axis is drawn at its end. */
function scale({ ticks, isLogarithmic = false }: Axis, from: number, to: number): (value: number) => number {
  const place = isLogarithmic ? Math.log : (value: number) => value
  const first = place(ticks[0] ?? 0)
  const last = place(ticks.at(-1) ?? 1)
  return value => {
    const share = (place(value) - first) / (last - first)
    return from + Math.min(1, Math.max(0, share)) * (to - from)
  }
}
