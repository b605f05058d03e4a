import { type Chunk, isRecord } from '@throughline/protocol'
import type { Author } from './authors.ts'
import type { Scope } from './scope.ts'

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

const longest = 160

/** Returns what a chunk says, in a few words on one line; empty when its type says everything. */
export function summaryOf(chunk: Chunk): string {
  if ('delta' in chunk) return quoted(chunk.delta)
  if ('inputTextDelta' in chunk) return quoted(chunk.inputTextDelta)
  if ('errorText' in chunk) return shortened(chunk.errorText)
  if ('toolName' in chunk) return chunk.toolName
  if (chunk.type === 'finish') return chunk.messageMetadata?.status ?? chunk.finishReason ?? ''
  if (chunk.type === 'start') return chunk.messageMetadata?.senderName ?? ''
  if ('data' in chunk) return dataSummary(chunk.data)
  if ('toolCallId' in chunk) return chunk.toolCallId
  return 'id' in chunk && chunk.id !== undefined ? chunk.id : ''
}

function dataSummary(data: unknown): string {
  if (!isRecord(data)) return ''
  const { parts, title, status } = data
  if (typeof title === 'string')
    return `${shortened(title)} ${typeof status === 'string' ? status : ''}`.trim()
  const first: unknown = Array.isArray(parts)
    ? parts.find(part => isRecord(part) && typeof part['text'] === 'string')
    : undefined
  return isRecord(first) ? quoted(String(first['text'])) : ''
}

function quoted(text: string): string {
  return JSON.stringify(shortened(text))
}

/** A text can have megabytes. Only its beginning is looked at. */
function shortened(text: string): string {
  return text.length > longest ? `${text.slice(0, longest)}…` : text
}
