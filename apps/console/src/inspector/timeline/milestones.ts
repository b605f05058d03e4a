import type { Entry } from '@throughline/protocol'
import { isEndChunk } from '@throughline/protocol'
import { type Author, authorsIn } from '../authors.ts'

/** How long an answer took, in milliseconds since its run began. `undefined`: it has not come to that yet. */
export interface Milestones {
  readonly messageId: string
  readonly name: string
  /** To the first token of the model, in text or in reasoning. */
  readonly firstTokenMs: number | undefined
  /** To the first text that the person reads. */
  readonly firstTextMs: number | undefined
  readonly endMs: number | undefined
}

/** Returns the times of every answer of a log. The messages of sub-agents are no answers of their own. */
export function milestonesOf(entries: readonly Entry[]): readonly Milestones[] {
  const authors = authorsIn(entries)
  const starts = new Map<string, number>()
  const found = new Map<string, Milestones>()
  for (const { runId, messageId, at, chunk } of entries) {
    const start = starts.get(runId) ?? at
    starts.set(runId, start)
    const author = authors.get(messageId)
    if (author === undefined || author.role === 'person' || author.parent !== undefined) continue
    const known = found.get(messageId) ?? noneOf(author)
    // The clock of a writer can go back.
    const ms = Math.max(0, at - start)
    const isText = chunk.type === 'text-delta'
    const isToken = isText || chunk.type === 'reasoning-delta' || chunk.type === 'tool-input-start'
    found.set(messageId, {
      ...known,
      firstTokenMs: known.firstTokenMs ?? (isToken ? ms : undefined),
      firstTextMs: known.firstTextMs ?? (isText ? ms : undefined),
      endMs: known.endMs ?? (isEndChunk(chunk) ? ms : undefined),
    })
  }
  return [...found.values()]
}

function noneOf({ messageId, name }: Author): Milestones {
  return { messageId, name, firstTokenMs: undefined, firstTextMs: undefined, endMs: undefined }
}
