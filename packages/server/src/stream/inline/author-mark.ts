import type { Chunk, ChunkOf } from '@throughline/protocol/chunk'
import type { MessageId } from '@throughline/protocol/ids'
import type { MessageMetadata } from '@throughline/protocol/metadata'

/** Who wrote a part that stands in another's message, and for which call. */
export type Lineage = {
  messageId: string
  agent?: string
  displayName?: string
  depth?: number
  path?: string[]
  parentMessageId?: string
  parentToolCallId?: string
}

type MarkedChunk = Extract<Chunk, { providerMetadata?: unknown }>
type CallChunk = ChunkOf<'tool-input-start' | 'tool-input-available' | 'tool-input-error'>

export function lineageOf(messageId: MessageId, { agent, parent }: MessageMetadata = {}): Lineage {
  return {
    messageId,
    ...(agent && {
      agent: agent.name,
      displayName: agent.displayName,
      depth: agent.depth,
      path: agent.path,
    }),
    ...(parent && { parentMessageId: parent.messageId, parentToolCallId: parent.toolCallId }),
  }
}

/** The chunk that begins a part, marked as its author's; the master's parts have no mark. */
export function marked<Marked extends MarkedChunk>(chunk: Marked, lineage: Lineage | undefined): Marked {
  if (lineage === undefined) return chunk
  return { ...chunk, providerMetadata: { ...chunk.providerMetadata, throughline: lineage } }
}

/** A later chunk of a marked part. Readers take the newest metadata for all there is, so the mark goes with it. */
export function stillMarked<Marked extends MarkedChunk>(chunk: Marked, lineage: Lineage | undefined): Marked {
  return chunk.providerMetadata === undefined ? chunk : marked(chunk, lineage)
}

export function markedCall(chunk: CallChunk, lineage: Lineage | undefined): CallChunk {
  if (lineage === undefined) return chunk
  return { ...chunk, toolMetadata: { ...chunk.toolMetadata, throughline: lineage } }
}
