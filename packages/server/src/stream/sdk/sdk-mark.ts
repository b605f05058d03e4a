import { type ChunkOf, isRecord } from '@throughline/protocol'

type Metadata = NonNullable<ChunkOf<'text-start'>['providerMetadata']>

/**
 * Returns the mark that says which sub-agent made a tool call. It is in the call's `toolMetadata`, which older versions do
 * not know. They get it in `providerMetadata`, where the mark of a text is.
 */
export function ownMark(toolMetadata: unknown): Metadata[string] | undefined {
  const mark = isRecord(toolMetadata) ? toolMetadata['throughline'] : undefined
  return isMark(mark) ? mark : undefined
}

// Nobody else writes under this key, so its value need not be checked further.
function isMark(value: unknown): value is Metadata[string] {
  return isRecord(value)
}
