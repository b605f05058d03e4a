import type { Chunk, EntryDraft } from '@throughline/protocol'

/** The text that a draft adds to a part. */
export interface Delta {
  /** Names the part: see `partOf`. */
  readonly part: string
  readonly text: string
}

/** Returns what a draft adds to a part; `undefined` for drafts that are no deltas. */
export function deltaOf(draft: EntryDraft): Delta | undefined {
  const part = partOf(draft)
  const text = deltaText(draft.chunk)
  return part === undefined || text === undefined ? undefined : { part, text }
}

/** Whether a draft begins a text, which shows nothing yet. */
export function isTextStart({ chunk }: EntryDraft): boolean {
  return chunk.type === 'text-start' || chunk.type === 'reasoning-start'
}

function deltaText(chunk: Chunk): string | undefined {
  if (chunk.type === 'tool-input-delta') return chunk.inputTextDelta
  return chunk.type === 'text-delta' || chunk.type === 'reasoning-delta' ? chunk.delta : undefined
}

/** Returns a key for the part that a chunk begins, continues or ends; `undefined` for other chunks. */
export function partOf({ messageId, chunk }: EntryDraft): string | undefined {
  switch (chunk.type) {
    case 'text-start':
    case 'text-delta':
    case 'text-end':
      return `${messageId} text ${chunk.id}`
    case 'reasoning-start':
    case 'reasoning-delta':
    case 'reasoning-end':
      return `${messageId} reasoning ${chunk.id}`
    case 'tool-input-start':
    case 'tool-input-delta':
    case 'tool-input-available':
    case 'tool-input-error':
      return `${messageId} tool ${chunk.toolCallId}`
    default:
      return undefined
  }
}

/** Returns a delta with another text. Chunks that are no deltas are returned as they are. */
export function withText(chunk: Chunk, text: string): Chunk {
  if (chunk.type === 'tool-input-delta') return { ...chunk, inputTextDelta: text }
  return chunk.type === 'text-delta' || chunk.type === 'reasoning-delta' ? { ...chunk, delta: text } : chunk
}
