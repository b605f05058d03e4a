/** One bar of a chart. */
export interface Bar {
  readonly key: string
  readonly label: string
  /** The pieces of the bar, from left to right. */
  readonly pieces: readonly { readonly value: number; readonly colour: string }[]
  /** What the bar says, in words. */
  readonly text: string
}

interface Props {
  readonly title: string
  readonly bars: readonly Bar[]
}

/** A small chart of bars. The longest one fills the width. */
export function BarChart({ title, bars }: Props) {
  const longest = Math.max(1, ...bars.map(totalOf))
  return (
    <section className="space-y-1">
      <h3 className="text-sm font-medium">{title}</h3>
      <ul className="space-y-1 text-xs">
        {bars.map(bar => (
          <li key={bar.key}>
            <div className="flex justify-between gap-3">
              <span className="min-w-0 truncate">{bar.label}</span>
              <span className="shrink-0 text-muted tabular-nums">{bar.text}</span>
            </div>
            <div aria-hidden="true" className="flex h-2 overflow-hidden rounded bg-panel">
              {bar.pieces.map(({ value, colour }) => (
                <span key={colour} className={colour} style={{ width: `${(value / longest) * 100}%` }} />
              ))}
            </div>
          </li>
        ))}
      </ul>
    </section>
  )
}

function totalOf({ pieces }: Bar): number {
  return pieces.reduce((sum, { value }) => sum + value, 0)
}
