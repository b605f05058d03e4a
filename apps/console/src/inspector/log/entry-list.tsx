import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { useInspectorWords } from '../inspector-words.ts'
import { EntryRow, type RowFacts } from './entry-row.tsx'
import { scrollTopFor, visibleRows } from './visible-rows.ts'

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
