import type { Chunk, ChunkOf, MessageId, MessageMetadata } from '@throughline/protocol'

/** Says which sub-agent wrote a part of the answer, and for which tool call. */
export type AuthorMark = {
  messageId: string
  agent?: string
  kind?: 'master' | 'sub'
  displayName?: string
  depth?: number
  path?: string[]
  parentMessageId?: string
  parentToolCallId?: string
}

type MarkableChunk = Extract<Chunk, { providerMetadata?: unknown }>
type CallChunk = ChunkOf<'tool-input-start' | 'tool-input-available' | 'tool-input-error'>

/** The mark of a sub-agent, from the metadata with which its message begins. */
export function authorMark(messageId: MessageId, { agent, parent }: MessageMetadata = {}): AuthorMark {
  return {
    messageId,
    ...(agent && {
      agent: agent.name,
      kind: agent.kind,
      displayName: agent.displayName,
      depth: agent.depth,
      path: agent.path,
    }),
    ...(parent && { parentMessageId: parent.messageId, parentToolCallId: parent.toolCallId }),
  }
}

/** Marks the chunk that begins a part. Without a mark, which means the master, the chunk stays as it is. */
export function marked<Marked extends MarkableChunk>(chunk: Marked, mark: AuthorMark | undefined): Marked {
  if (mark === undefined) return chunk
  return { ...chunk, providerMetadata: { ...chunk.providerMetadata, throughline: mark } }
}

/**
 * Marks a later chunk of a part, but only if it has metadata. Readers replace a part's metadata by the newest one, so
 * without the mark they would lose it.
 */
export function stillMarked<Marked extends MarkableChunk>(
  chunk: Marked,
  mark: AuthorMark | undefined,
): Marked {
  return chunk.providerMetadata === undefined ? chunk : marked(chunk, mark)
}

/** Marks a chunk of a tool call. */
export function markedCall(chunk: CallChunk, mark: AuthorMark | undefined): CallChunk {
  if (mark === undefined) return chunk
  return { ...chunk, toolMetadata: { ...chunk.toolMetadata, throughline: mark } }
}
