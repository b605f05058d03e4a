import type { Entry } from '@throughline/protocol'
import { memo } from 'react'
import { sizeText } from '../../size-text.ts'
import { summaryOf } from './summary-of.ts'

/** What a row shows. */
export interface RowFacts {
  readonly entry: Entry
  readonly size: number
  /** The name of the author. */
  readonly name: string
  /** The time of the first entry, in milliseconds since 1970. Times are shown relative to it. */
  readonly startedAt: number
}

interface Props {
  readonly id: string
  readonly place: { readonly row: number; readonly count: number }
  readonly facts: RowFacts
  readonly isChosen: boolean
  readonly onChoose: (row: number) => void
}

/** One entry: position, seconds since the beginning, type, author, message, size, and what it says in short. */
export const EntryRow = memo(
  function EntryRow({ id, place: { row, count }, facts, isChosen, onChoose }: Props) {
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
          {sizeText(size)}
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
