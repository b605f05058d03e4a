import { type Entry, isRecord, type RunId } from '@throughline/protocol'

/** Who wrote a message, as its first entry says. */
export interface Author {
  readonly messageId: string
  readonly runId: RunId
  readonly role: 'person' | 'agent'
  /** The name that people read; empty when the log has none. */
  readonly name: string
  /** Names one agent in its place below the master: the lineage. Empty for a person. */
  readonly agentKey: string
  /** How many agents are above it. */
  readonly depth: number
  /** The message and the tool call that a sub-agent works for. */
  readonly parent?: { readonly messageId: string; readonly toolCallId: string }
  /** The beginning of what a person wrote. */
  readonly text: string
}

const textLength = 80

/** Returns who wrote each message, in the order in which the messages began. */
export function authorsIn(entries: readonly Entry[]): ReadonlyMap<string, Author> {
  const authors = new Map<string, Author>()
  for (const entry of entries) {
    if (authors.has(entry.messageId)) continue
    const author = authorFrom(entry)
    if (author !== undefined) authors.set(entry.messageId, author)
  }
  return authors
}

function authorFrom({ messageId, runId, chunk }: Entry): Author | undefined {
  if (chunk.type === 'start') {
    const { agent, senderName, parent } = chunk.messageMetadata ?? {}
    const name = senderName || agent?.displayName || agent?.name || ''
    const agentKey = agent?.path.join('/') || name || messageId
    const depth = agent?.depth ?? 0
    const about = { messageId, runId, role: 'agent', name, agentKey, depth, text: '' } as const
    return parent === undefined ? about : { ...about, parent }
  }
  if (chunk.type !== 'data-message' || !isRecord(chunk.data)) return undefined
  const { role, metadata, parts } = chunk.data
  const name = isRecord(metadata) && typeof metadata['senderName'] === 'string' ? metadata['senderName'] : ''
  const text = Array.isArray(parts) ? beginningOf(parts) : ''
  const isPerson = role === 'user'
  return {
    messageId,
    runId,
    role: isPerson ? 'person' : 'agent',
    name,
    agentKey: isPerson ? '' : name || messageId,
    depth: 0,
    text,
  }
}

function beginningOf(parts: readonly unknown[]): string {
  const texts = parts.flatMap(part =>
    isRecord(part) && typeof part['text'] === 'string' ? [part['text']] : [],
  )
  return texts.join(' ').slice(0, textLength).replaceAll(/\s+/g, ' ').trim()
}
