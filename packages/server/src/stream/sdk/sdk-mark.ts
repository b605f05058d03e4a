import type { ChunkOf } from '@throughline/protocol/chunk'
import { isRecord } from '@throughline/protocol/chunk'

type Metadata = NonNullable<ChunkOf<'text-start'>['providerMetadata']>

/**
 * Who wrote a call that stands in another's message. That is in its `toolMetadata`, which is younger than these versions:
 * they get it beside the provider's metadata, where the mark of a text is.
 */
export function ownMark(toolMetadata: unknown): Metadata[string] | undefined {
  const mark = isRecord(toolMetadata) ? toolMetadata['throughline'] : undefined
  return isMark(mark) ? mark : undefined
}

// Only we write under this key.
function isMark(value: unknown): value is Metadata[string] {
  return isRecord(value)
}
