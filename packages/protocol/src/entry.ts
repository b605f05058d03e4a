import { type Chunk, chunkProblem, isChunk, isRecord, isUnknownChunk } from './chunk.ts'
import { isMessageId, isRunId, type MessageId, type RunId } from './ids.ts'

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
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return { type: 'invalid', problem: 'the data is not JSON' }
  }
  if (!isRecord(value)) return { type: 'invalid', problem: 'an entry must be a JSON object' }
  const { seq, at, runId, messageId, chunk } = value
  if (typeof seq !== 'number' || !Number.isSafeInteger(seq) || seq < 1) {
    return { type: 'invalid', problem: 'an entry needs a positive whole number "seq"' }
  }
  if (typeof at !== 'number' || !Number.isSafeInteger(at) || at < 0) {
    return { type: 'invalid', problem: 'an entry needs the time "at" in milliseconds' }
  }
  if (!isRunId(runId) || !isMessageId(messageId)) {
    return { type: 'invalid', problem: 'an entry needs the ids "runId" and "messageId"' }
  }
  if (isChunk(chunk)) return { type: 'entry', entry: { seq, at, runId, messageId, chunk } }
  if (isUnknownChunk(chunk)) {
    // From a newer version: it changes nothing that we show, but it still counts in the order.
    const passed: Chunk = { type: 'data-unknown', data: chunk, transient: true }
    return { type: 'entry', entry: { seq, at, runId, messageId, chunk: passed } }
  }
  return { type: 'invalid', problem: chunkProblem(chunk) ?? 'the chunk is not valid' }
}

/** A message has ended with one of these; nothing follows it in that message. */
export function isEndChunk(chunk: Chunk): boolean {
  return chunk.type === 'finish' || chunk.type === 'abort' || chunk.type === 'error'
}
