import type { Author } from '../authors.ts'
import type { Scope } from '../scope.ts'

/** What to show of a log. An empty text shows everything. */
export interface LogFilter {
  readonly type: string
  /** The agent's key, see `Author`; `person` for what people wrote. */
  readonly agent: string
  readonly messageId: string
}

export const noFilter: LogFilter = { type: '', agent: '', messageId: '' }

/** Returns the indexes of the entries that fit a filter, in order. */
export function filterEntries(
  { entries }: Pick<Scope, 'entries'>,
  authors: ReadonlyMap<string, Author>,
  filter: LogFilter,
): readonly number[] {
  const { type, agent, messageId } = filter
  const indexes: number[] = []
  for (const [index, entry] of entries.entries()) {
    if (type !== '' && entry.chunk.type !== type) continue
    if (messageId !== '' && entry.messageId !== messageId) continue
    if (agent !== '' && agentOf(authors.get(entry.messageId)) !== agent) continue
    indexes.push(index)
  }
  return indexes
}

/** Returns the value of the agent filter that shows this author. */
export function agentOf(author: Author | undefined): string {
  if (author === undefined) return ''
  return author.role === 'person' ? 'person' : author.agentKey
}

/** What the filters of a log can be set to. */
export interface FilterChoices {
  /** The types of chunks, the most frequent first. */
  readonly types: readonly { readonly type: string; readonly count: number }[]
  /** The authors of the messages, in the order in which they began to write. */
  readonly authors: readonly Author[]
}

/** Returns the types and the authors that a log has. */
export function filterChoices(
  { entries }: Pick<Scope, 'entries'>,
  authors: ReadonlyMap<string, Author>,
): FilterChoices {
  const counts = new Map<string, number>()
  const found = new Set<string>()
  for (const { chunk, messageId } of entries) {
    counts.set(chunk.type, (counts.get(chunk.type) ?? 0) + 1)
    found.add(messageId)
  }
  const types = [...counts].map(([type, count]) => ({ type, count }))
  return {
    types: types.sort((one, other) => other.count - one.count || one.type.localeCompare(other.type)),
    authors: [...found].flatMap(id => authors.get(id) ?? []),
  }
}
