import { useCallback, useMemo, useState } from 'react'
import { sizeText } from '../../size-text.ts'
import type { Author } from '../authors.ts'
import { useInspectorWords } from '../inspector-words.ts'
import type { Scope } from '../scope.ts'
import { EntryDetails } from './entry-details.tsx'
import { EntryList } from './entry-list.tsx'
import { FilterBar, nameOf } from './filter-bar.tsx'
import { filterChoices, filterEntries, noFilter } from './filter-entries.ts'

interface Props {
  readonly scope: Scope
  readonly authors: ReadonlyMap<string, Author>
  /** The position of the chosen entry; 0 for none. */
  readonly seq: number
  readonly onSeq: (seq: number) => void
}

/** The raw log: all entries that fit the filters, and the whole of the one that was chosen. */
export function LogView({ scope, authors, seq, onSeq }: Props) {
  const words = useInspectorWords()
  const { entries, sizes } = scope
  const [filter, setFilter] = useState(noFilter)
  const choices = useMemo(() => filterChoices(scope, authors), [scope, authors])
  const shown = useMemo(() => filterEntries(scope, authors, filter), [scope, authors, filter])
  const bytes = useMemo(() => shown.reduce((sum, index) => sum + (sizes[index] ?? 0), 0), [shown, sizes])
  const startedAt = entries[0]?.at ?? 0
  const chosen = useMemo(() => shown.findIndex(index => entries[index]?.seq === seq), [shown, entries, seq])
  const chosenIndex = shown[chosen] ?? -1
  const choose = useCallback(
    (row: number) => onSeq(entries[shown[row] ?? -1]?.seq ?? 0),
    [entries, shown, onSeq],
  )
  const factsAt = (row: number) => {
    const index = shown[row] ?? -1
    const entry = entries[index]
    if (entry === undefined) return undefined
    return { entry, size: sizes[index] ?? 0, name: nameOf(authors.get(entry.messageId), words), startedAt }
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <FilterBar choices={choices} filter={filter} onFilter={setFilter} />
      <p className="px-4 pb-1 text-xs text-muted" role="status">
        {shown.length === 0 && entries.length > 0
          ? words.noMatch
          : words.count(shown.length, entries.length, sizeText(bytes))}
      </p>
      <EntryList count={shown.length} factsAt={factsAt} chosen={chosen} onChoose={choose} />
      <EntryDetails entry={entries[chosenIndex]} size={sizes[chosenIndex] ?? 0} />
    </div>
  )
}
