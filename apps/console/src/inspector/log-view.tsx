import type { Entry } from '@throughline/protocol'
import { useCallback, useMemo, useState } from 'react'
import { Select } from '../controls/select.tsx'
import { sizeLabel } from '../text/size-label.ts'
import type { InspectorWords } from '../words/inspector/en.ts'
import { useInspectorWords } from '../words/inspector/use-inspector-words.ts'
import type { Author } from './entries/authors.ts'
import {
  agentOf,
  type FilterChoices,
  filterChoices,
  filterEntries,
  type LogFilter,
  noFilter,
} from './entries/log-entries.ts'
import type { Scope } from './entries/scope.ts'
import { EntryList } from './entry-list.tsx'

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
          : words.count(shown.length, entries.length, sizeLabel(bytes))}
      </p>
      <EntryList count={shown.length} factsAt={factsAt} chosen={chosen} onChoose={choose} />
      <EntryDetails entry={entries[chosenIndex]} size={sizes[chosenIndex] ?? 0} />
    </div>
  )
}

interface FilterProps {
  readonly choices: FilterChoices
  readonly filter: LogFilter
  readonly onFilter: (filter: LogFilter) => void
}

/** Chooses what is shown of a log: by type, by agent and by message. */
function FilterBar({ choices: { types, authors }, filter, onFilter }: FilterProps) {
  const words = useInspectorWords()
  const agents = new Map(authors.map(author => [agentOf(author), author]))
  return (
    <div className="flex flex-wrap gap-2 px-4 py-2">
      <Select label={words.type} value={filter.type} onChange={type => onFilter({ ...filter, type })}>
        <option value="">{words.allTypes}</option>
        {types.map(({ type, count }) => (
          <option key={type} value={type}>
            {type} ({count})
          </option>
        ))}
      </Select>
      <Select label={words.agent} value={filter.agent} onChange={agent => onFilter({ ...filter, agent })}>
        <option value="">{words.allAgents}</option>
        {[...agents].map(([key, author]) => (
          <option key={key} value={key}>
            {author.role === 'person' ? words.person : author.name}
          </option>
        ))}
      </Select>
      <Select
        label={words.message}
        value={filter.messageId}
        onChange={messageId => onFilter({ ...filter, messageId })}
      >
        <option value="">{words.allMessages}</option>
        {authors.map(author => (
          <option key={author.messageId} value={author.messageId}>
            {nameOf(author, words)} · {author.text || author.messageId}
          </option>
        ))}
      </Select>
    </div>
  )
}

/** Returns the name of an author. What people write often has no name. */
function nameOf(author: Author | undefined, words: InspectorWords): string {
  if (author === undefined) return ''
  return author.name || (author.role === 'person' ? words.person : author.messageId)
}

interface DetailsProps {
  readonly entry: Entry | undefined
  readonly size: number
}

/** At most this many characters of the JSON are shown. More would block the page. */
const longest = 50_000

/** All of one entry, as JSON. */
function EntryDetails({ entry, size }: DetailsProps) {
  const words = useInspectorWords()
  const json = useMemo(() => (entry === undefined ? '' : JSON.stringify(entry, undefined, 2)), [entry])
  if (entry === undefined)
    return <p className="border-t border-line px-4 py-3 text-sm text-muted">{words.chooseEntry}</p>
  return (
    <section
      aria-label={words.entry(entry.seq)}
      className="flex h-2/5 shrink-0 flex-col border-t border-line bg-panel"
    >
      <h3 className="flex flex-wrap gap-x-3 px-4 pt-2 text-sm font-medium">
        {words.entry(entry.seq)}
        <span className="font-normal text-muted">
          {new Date(entry.at).toLocaleString()} · {sizeLabel(size)}
        </span>
      </h3>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must reach it.
        tabIndex={0}
        className="min-h-0 flex-1 overflow-auto px-4 py-2 font-mono text-xs -outline-offset-2"
      >
        {json.slice(0, longest)}
      </pre>
      {json.length > longest && (
        <p className="px-4 pb-2 text-xs text-warning">
          {words.cut(longest.toLocaleString(), json.length.toLocaleString())}
        </p>
      )}
    </section>
  )
}
