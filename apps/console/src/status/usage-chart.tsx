import { useState } from 'react'
import { useWords } from '../settings/settings.tsx'
import { type DayStack, type StackedUsage, scaleEnd } from './stack-usage.ts'

/** The colours of the series, as shapes of the chart and as marks in its legend. */
export const colours = [
  { fill: 'fill-accent', mark: 'bg-accent' },
  { fill: 'fill-sky-500', mark: 'bg-sky-500' },
  { fill: 'fill-amber-500', mark: 'bg-amber-500' },
  { fill: 'fill-violet-500', mark: 'bg-violet-500' },
  { fill: 'fill-rose-400', mark: 'bg-rose-400' },
]

interface Props {
  readonly usage: StackedUsage
  /** What the chart shows, for people who do not see it. */
  readonly label: string
  /** What is said while no day is pointed at. */
  readonly summary: string
  /** Returns a value of the scale as text. */
  readonly valueText: (value: number) => string
  /** Returns what is said about one day. */
  readonly dayText: (day: DayStack) => string
  readonly dateText: (day: string) => string
}

/** The height of the picture. Its width is one for each day; the browser stretches both. */
const height = 100

/** One bar for each day, made of the series. The day under the pointer is told in words. */
export function UsageChart({ usage: { days }, label, summary, valueText, dayText, dateText }: Props) {
  const { colon } = useWords()
  const [pointed, setPointed] = useState<DayStack>()
  const end = scaleEnd(Math.max(0, ...days.map(totalOf)))
  const first = days[0]?.day ?? ''
  const last = days.at(-1)?.day ?? ''
  return (
    <figure>
      <figcaption className="h-6 truncate text-sm text-muted tabular-nums" aria-hidden="true">
        {pointed === undefined ? summary : `${dateText(pointed.day)}${colon}${dayText(pointed)}`}
      </figcaption>
      <div className="relative h-44 border-b border-line">
        <Line at={0} text={valueText(end)} />
        <Line at={50} text={valueText(end / 2)} />
        <svg
          role="img"
          aria-label={label}
          viewBox={`0 0 ${days.length} ${height}`}
          preserveAspectRatio="none"
          className="absolute inset-y-0 left-0 h-full w-[calc(100%-3rem)]"
          onPointerLeave={() => setPointed(undefined)}
        >
          {days.map((day, index) => (
            <g key={day.day} onPointerEnter={() => setPointed(day)}>
              {/* The whole height of a day can be pointed at. */}
              <rect
                x={index}
                width={1}
                height={height}
                className={pointed?.day === day.day ? 'fill-ink/5' : 'fill-transparent'}
              />
              <Bar day={day} x={index} end={end} />
            </g>
          ))}
        </svg>
      </div>
      <div aria-hidden="true" className="mt-1 mr-12 flex justify-between text-xs text-muted">
        <span>{dateText(first)}</span>
        <span>{dateText(last)}</span>
      </div>
    </figure>
  )
}

function Bar({ day, x, end }: { readonly day: DayStack; readonly x: number; readonly end: number }) {
  let top = height
  return day.values.map((value, index) => {
    const size = (value / end) * height
    top -= size
    const colour = colours[index] ?? colours[0]
    if (size === 0) return null
    return <rect key={colour?.fill} x={x + 0.15} y={top} width={0.7} height={size} className={colour?.fill} />
  })
}

function Line({ at, text }: { readonly at: number; readonly text: string }) {
  return (
    <div
      aria-hidden="true"
      className="absolute inset-x-0 border-t border-dashed border-line text-right text-xs text-muted"
      style={{ top: `${at}%` }}
    >
      {text}
    </div>
  )
}

function totalOf({ values }: DayStack): number {
  return values.reduce((sum, value) => sum + value, 0)
}
