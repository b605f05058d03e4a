import { type Chunk, chunkProblem, isChunk, isRecord, isUnknownChunk } from './chunk.ts'
import { isMessageId, isRunId, type MessageId, type RunId } from './ids.ts'
import { parseJson } from './parse-json.ts'

/** A chunk on its way into a chat's log. */
export interface EntryDraft {
  readonly runId: RunId
  readonly messageId: MessageId
  readonly chunk: Chunk
}

/** A chunk with its place in a chat's log: all that `fold` needs. */
export interface NumberedDraft extends EntryDraft {
  readonly seq: number
}

/** A chunk in a chat's log. */
export interface Entry extends NumberedDraft {
  /** When it was written, in milliseconds since 1970, by the writer's clock: for people to read, never for order. */
  readonly at: number
}

export type ParsedEntry =
  | { readonly type: 'entry'; readonly entry: Entry }
  | { readonly type: 'invalid'; readonly problem: string }

/** Reads an entry from the wire. */
export function parseEntry(json: string): ParsedEntry {
  const value = parseJson(json)
  if (!isRecord(value)) return { type: 'invalid', problem: 'an entry must be a JSON object' }
  const { seq, at, runId, messageId, chunk } = value
  if (!isCount(seq) || seq === 0 || !isCount(at) || !isRunId(runId) || !isMessageId(messageId)) {
    return { type: 'invalid', problem: 'an entry needs valid ids and numbers' }
  }
  const isKnown = isChunk(chunk)
  if (!isKnown && !isUnknownChunk(chunk)) return { type: 'invalid', problem: chunkProblem(chunk) ?? '' }
  // One from a newer version changes nothing that we show, but it still counts in the order.
  const read: Chunk = isKnown ? chunk : { type: 'data-unknown', data: chunk, transient: true }
  return { type: 'entry', entry: { seq, at, runId, messageId, chunk: read } }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** A message has ended with one of these; nothing follows it in that message. */
export function isEndChunk(chunk: Chunk): boolean {
  return chunk.type === 'finish' || chunk.type === 'abort' || chunk.type === 'error'
}
