import type { Entry } from '@throughline/protocol'
import { type KeyboardEvent, memo, useEffect, useId, useRef, useState } from 'react'
import { sizeLabel } from '../text/size-label.ts'
import { useInspectorWords } from '../words/inspector/use-inspector-words.ts'
import { summaryOf } from './entries/log-entries.ts'

interface Props {
  readonly count: number
  /** Returns what to show in a row. */
  readonly factsAt: (row: number) => RowFacts | undefined
  /** The number of the chosen row; -1 for none. */
  readonly chosen: number
  readonly onChoose: (row: number) => void
}

const rowHeight = 26

/** A list of entries. Only the rows in sight are drawn. The arrow keys, Page Up and Down, Home and End move the choice. */
export function EntryList({ count, factsAt, chosen, onChoose }: Props) {
  const words = useInspectorWords()
  const id = useId()
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ scrollTop: 0, height: 400 })
  const list = { count, rowHeight, ...view }
  const { first, end } = visibleRows(list)

  useEffect(() => {
    const element = box.current
    if (element === null) return
    const look = () => setView({ scrollTop: element.scrollTop, height: element.clientHeight })
    const watch = new ResizeObserver(look)
    watch.observe(element)
    element.addEventListener('scroll', look, { passive: true })
    return () => {
      watch.disconnect()
      element.removeEventListener('scroll', look)
    }
  }, [])
  useEffect(() => {
    const element = box.current
    if (element === null || chosen < 0) return
    const { scrollTop, clientHeight: height } = element
    const wanted = scrollTopFor(chosen, { rowHeight, scrollTop, height })
    if (wanted !== scrollTop) element.scrollTop = wanted
  }, [chosen])

  const onKeyDown = (event: KeyboardEvent) => {
    const next = rowAfter(event.key, { chosen, count, perPage: Math.floor(view.height / rowHeight) })
    if (next === undefined) return
    event.preventDefault()
    onChoose(next)
  }
  return (
    <div
      ref={box}
      role="listbox"
      aria-label={words.entries}
      aria-activedescendant={chosen >= first && chosen < end ? `${id}-${chosen}` : undefined}
      tabIndex={0}
      onKeyDown={onKeyDown}
      className="min-h-0 flex-1 overflow-y-auto font-mono text-xs -outline-offset-2"
    >
      <div style={{ height: count * rowHeight, paddingTop: first * rowHeight }}>
        {Array.from({ length: end - first }, (_, index) => {
          const row = first + index
          const facts = factsAt(row)
          return facts === undefined ? null : (
            <EntryRow
              key={facts.entry.seq}
              id={`${id}-${row}`}
              place={{ row, count }}
              facts={facts}
              isChosen={row === chosen}
              onChoose={onChoose}
            />
          )
        })}
      </div>
    </div>
  )
}

interface Place {
  readonly chosen: number
  readonly count: number
  readonly perPage: number
}

function rowAfter(key: string, { chosen, count, perPage }: Place): number | undefined {
  const last = count - 1
  const within = (row: number) => Math.max(0, Math.min(last, row))
  if (count === 0) return undefined
  switch (key) {
    case 'ArrowDown':
      return within(chosen + 1)
    case 'ArrowUp':
      return within(chosen - 1)
    case 'PageDown':
      return within(chosen + perPage)
    case 'PageUp':
      return within(chosen - perPage)
    case 'Home':
      return 0
    case 'End':
      return last
    default:
      return undefined
  }
}

/** What a row shows. */
interface RowFacts {
  readonly entry: Entry
  readonly size: number
  /** The name of the author. */
  readonly name: string
  /** The time of the first entry, in milliseconds since 1970. Times are shown relative to it. */
  readonly startedAt: number
}

interface RowProps {
  readonly id: string
  readonly place: { readonly row: number; readonly count: number }
  readonly facts: RowFacts
  readonly isChosen: boolean
  readonly onChoose: (row: number) => void
}

/** One entry: position, seconds since the beginning, type, author, message, size, and what it says in short. */
const EntryRow = memo(
  function EntryRow({ id, place: { row, count }, facts, isChosen, onChoose }: RowProps) {
    const { entry, size, name, startedAt } = facts
    return (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the list around it has the focus and the keys (`aria-activedescendant`)
      <div
        id={id}
        role="option"
        tabIndex={-1}
        aria-selected={isChosen}
        aria-setsize={count}
        aria-posinset={row + 1}
        data-seq={entry.seq}
        data-type={entry.chunk.type}
        onClick={() => onChoose(row)}
        className="flex h-[26px] cursor-pointer items-center gap-2 px-4 whitespace-nowrap hover:bg-panel aria-selected:bg-accent-soft"
      >
        <span className="w-9 shrink-0 text-right text-muted tabular-nums">{entry.seq}</span>
        <span className="w-16 shrink-0 text-right tabular-nums" title={new Date(entry.at).toISOString()}>
          {sinceText(entry.at - startedAt)}
        </span>
        <span className="w-32 shrink-0 truncate font-semibold" title={entry.chunk.type}>
          {entry.chunk.type}
        </span>
        <span className="w-18 shrink-0 truncate text-accent max-sm:hidden" title={name}>
          {name}
        </span>
        <span className="w-14 shrink-0 truncate text-muted max-sm:hidden" title={entry.messageId}>
          {entry.messageId.slice(-7)}
        </span>
        <span className="w-13 shrink-0 text-right text-muted tabular-nums max-sm:hidden">
          {sizeLabel(size)}
        </span>
        <span className="min-w-0 flex-1 truncate text-muted">{summaryOf(entry.chunk)}</span>
      </div>
    )
  },
  (before, after) =>
    before.facts.entry === after.facts.entry &&
    before.facts.startedAt === after.facts.startedAt &&
    before.facts.name === after.facts.name &&
    before.isChosen === after.isChosen &&
    before.id === after.id &&
    before.place.count === after.place.count &&
    before.onChoose === after.onChoose,
)

/** Returns a time since the beginning, in seconds, such as `+1.204`. A writer's clock can go back. */
function sinceText(ms: number): string {
  return `${ms < 0 ? '' : '+'}${(ms / 1000).toFixed(3)}`
}

/** A list of equal rows in a box that scrolls. Lengths are in pixels. */
interface ScrolledList {
  readonly count: number
  readonly rowHeight: number
  readonly scrollTop: number
  readonly height: number
}

/** The rows to draw: from `first` on, up to but not including `end`. */
interface RowRange {
  readonly first: number
  readonly end: number
}

/** Rows that are drawn above and below what is seen, so that scrolling shows no gap before the next paint. */
const spare = 12

/** Returns the rows that are in sight, and a few around them. The cost of drawing does not grow with the list. */
export function visibleRows({ count, rowHeight, scrollTop, height }: ScrolledList): RowRange {
  const last = Math.max(0, count - 1)
  const top = Math.min(last, Math.max(0, Math.floor(scrollTop / rowHeight)))
  const bottom = Math.ceil((Math.max(0, scrollTop) + height) / rowHeight)
  return { first: Math.max(0, top - spare), end: Math.min(count, Math.max(bottom, top + 1) + spare) }
}

/** Returns the scroll position nearest to the present one at which a whole row is in sight. */
export function scrollTopFor(
  row: number,
  { rowHeight, scrollTop, height }: Omit<ScrolledList, 'count'>,
): number {
  const top = row * rowHeight
  if (top < scrollTop) return top
  return top + rowHeight > scrollTop + height ? top + rowHeight - height : scrollTop
}
