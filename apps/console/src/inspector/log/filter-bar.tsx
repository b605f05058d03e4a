import type { Author } from '../authors.ts'
import { type InspectorWords, useInspectorWords } from '../inspector-words.ts'
import { Select } from '../select.tsx'
import { agentOf, type FilterChoices, type LogFilter } from './filter-entries.ts'

interface Props {
  readonly choices: FilterChoices
  readonly filter: LogFilter
  readonly onFilter: (filter: LogFilter) => void
}

/** Chooses what is shown of a log: by type, by agent and by message. */
export function FilterBar({ choices: { types, authors }, filter, onFilter }: Props) {
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
export function nameOf(author: Author | undefined, words: InspectorWords): string {
  if (author === undefined) return ''
  return author.name || (author.role === 'person' ? words.person : author.messageId)
}
